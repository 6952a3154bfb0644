/** Names of the ways by which signals come in, as people write them. */
const PROTOCOLS: Readonly<Record<string, string>> = {
  otlp: 'OTLP',
  'remote-write': 'remote write',
  loki: 'Loki push',
  'fluent-bit': 'Fluent Bit',
  kubernetes: 'Kubernetes',
};

export function protocolWords(protocol: string): string {
  return PROTOCOLS[protocol] ?? protocol;
}
