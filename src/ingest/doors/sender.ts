/**
 * Who sends, as far as the connection tells: the address and the program's name with version, as in `10.0.0.4
 * Prometheus/2.42.0`. Headers that a sender may set at will, such as a tenant's, say nothing.
 */
export function senderOf(address: string | undefined, userAgent: string | string[] | undefined): string {
  const plain = (address ?? 'unknown').replace(/^::ffff:/, '');
  const [product = ''] = (typeof userAgent === 'string' ? userAgent : '').trim().split(/[\s(]/, 1);
  const shown = product.replace(/[^\x21-\x7e]/g, '').slice(0, 64);
  return shown === '' ? plain : `${plain} ${shown}`;
}
