import { compressSync } from 'snappy';
import { field, varint } from './protobuf.ts';

export interface WrittenSeries {
  labels: Readonly<Record<string, string>>;
  samples: readonly { value: number; timeMs: number }[];
}

/** The body of a remote write 1.0 request, encoded here and not by the code under test. */
export function remoteWriteBody(series: readonly WrittenSeries[]): Buffer {
  return compressSync(Buffer.concat(series.map((one) => field(1, timeSeries(one)))));
}

export async function remoteWrite(url: string, series: readonly WrittenSeries[]): Promise<Response> {
  return fetch(url, { method: 'POST', headers: REMOTE_WRITE_HEADERS, body: new Uint8Array(remoteWriteBody(series)) });
}

export const REMOTE_WRITE_HEADERS = {
  'content-type': 'application/x-protobuf',
  'content-encoding': 'snappy',
  'x-prometheus-remote-write-version': '0.1.0',
};

function timeSeries({ labels, samples }: WrittenSeries): Buffer {
  const names = Object.keys(labels).sort();
  return Buffer.concat([
    ...names.map((name) =>
      field(1, Buffer.concat([field(1, Buffer.from(name)), field(2, Buffer.from(labels[name] ?? ''))])),
    ),
    ...samples.map(({ value, timeMs }) => field(2, sample(value, timeMs))),
  ]);
}

function sample(value: number, timeMs: number): Buffer {
  const double = Buffer.alloc(9);
  double[0] = (1 << 3) | 1;
  double.writeDoubleLE(value, 1);
  return Buffer.concat([double, Buffer.from([2 << 3]), varint(BigInt(timeMs))]);
}
