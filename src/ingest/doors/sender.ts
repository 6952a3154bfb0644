/**
 * Who sends: the address and what the program calls itself, as in `10.0.0.4 Prometheus/2.42.0`. Good for telling senders
 * apart and letting them take turns; what protects from a hostile one goes by the address alone.
 */
export function senderOf(address: string | undefined, userAgent: string | string[] | undefined): string {
  const plain = addressOf(address);
  const [product = ''] = (typeof userAgent === 'string' ? userAgent : '').trim().split(/[\s(]/, 1);
  const shown = product.replace(/[^\x21-\x7e]/g, '').slice(0, 64);
  return shown === '' ? plain : `${plain} ${shown}`;
}

/** IPv4 addresses as such, also where the socket is one of IPv6. */
export function addressOf(address: string | undefined): string {
  return (address ?? 'unknown').replace(/^::ffff:/, '');
}
