import type { MetricMetadata } from '../../model/index.ts';
import { encodeBlock, LowCardinalityColumn, PlainColumn, TextColumn } from '../clickhouse/native/encode.ts';

const AGAIN_AFTER_MS = 3_600_000;
const REMEMBERED = 100_000;

/** Metadata comes with every scrape and hardly ever changes: each form is stored once an hour. */
export class MetadataRegister {
  private readonly storedAt = new Map<string, number>();

  due(all: readonly MetricMetadata[], nowMs: number): MetricMetadata[] {
    return all.filter((one) => nowMs - (this.storedAt.get(keyOf(one)) ?? Number.NEGATIVE_INFINITY) >= AGAIN_AFTER_MS);
  }

  stored(rows: readonly MetricMetadata[], nowMs: number): void {
    if (this.storedAt.size > REMEMBERED) this.storedAt.clear();
    for (const row of rows) this.storedAt.set(keyOf(row), nowMs);
  }

  forget(): void {
    this.storedAt.clear();
  }
}

function keyOf(one: MetricMetadata): string {
  return [one.family, one.type, one.unit, one.help].join('\u0000');
}

export function encodeMetadata(rows: readonly MetricMetadata[], nowMs: number): Buffer {
  const family = new TextColumn();
  const type = new LowCardinalityColumn();
  const help = new TextColumn();
  const unit = new LowCardinalityColumn();
  const seen = new PlainColumn("DateTime64(3, 'UTC')");
  for (const row of rows) {
    family.push(row.family);
    type.push(row.type);
    help.push(row.help);
    unit.push(row.unit);
    seen.values.int64(nowMs);
  }
  return encodeBlock(rows.length, { family, type, help, unit, seen });
}
