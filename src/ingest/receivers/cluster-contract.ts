import { expect, it } from 'vitest';
import { silentLogger } from '../../base/index.ts';
import { formatLabels, type SignalBatch } from '../../model/index.ts';
import { openDoors, type Receiver } from '../doors/index.ts';
import { collect, LIMIT } from './contract.ts';
import type { ReceiverOptions } from './options.ts';

/** What every door for metrics must do with the header that names a cluster, as a part of the receivers' contract. */

/** Samples and native histograms with the cluster that they are stored under, without their labels. */
export function storedByCluster(batches: readonly SignalBatch[]): string[] {
  const lines: string[] = [];
  for (const { samples, lateSamples, histograms } of batches) {
    for (const part of [samples, lateSamples, histograms]) {
      for (const [i, value] of [...(part?.values ?? [])].entries()) {
        const { cluster = '', labels = [] } = part?.series[part.seriesOf[i] ?? 0] ?? {};
        const name = formatLabels(labels).replace(/\{.*\}/, '');
        lines.push(`${cluster}: ${name} ${typeof value === 'number' ? value : value.count}`);
      }
    }
  }
  return lines.filter((line) => !line.includes('target_info'));
}

/** A receiver's doors in front of the real pipeline, for requests whose header names the cluster. */
export function openForClusters(receiver: Receiver<ReceiverOptions>) {
  const ingest = collect();
  const service = openDoors([receiver], { ...ingest, logger: silentLogger, limits: { maxBodyBytes: LIMIT } });
  return {
    ...ingest,
    send: (door: string, headers: Record<string, string>, cluster: string, body: Buffer) =>
      service.handle({ door, headers: { ...headers, 'x-trifocal-cluster': cluster }, body, sender: 'one sender' }),
  };
}

/** `body(step)`: a sample of the series `up`, always the same, with value `step`; later than that of `step - 2`. */
export function itKeepsClustersApart(
  title: string,
  receiver: Receiver<ReceiverOptions>,
  door: { name: string; headers: Record<string, string>; body(step: number): Buffer },
): void {
  it(`${title}: the same labels from two clusters that only the header names stay two series`, async () => {
    const { send, batches, telemetry } = openForClusters(receiver);
    for (let step = 0; step < 4; step++) {
      const answer = await send(door.name, door.headers, step % 2 === 0 ? 'a' : 'b', door.body(step));
      expect(answer.status).toBeLessThan(300);
    }
    expect(storedByCluster(batches)).toEqual(['a: up 0', 'b: up 1', 'a: up 2', 'b: up 3']);
    expect(telemetry().dropped).toEqual([]);
    const [a, b, again] = batches.map(({ samples }) => samples?.series[0]);
    expect(b).not.toBe(a);
    expect(again, 'what was decided is remembered for each cluster').toBe(a);
  });
}
