import { expect, test } from 'vitest';
import { surviveKills } from '../../src/ingest/spool/crash-harness.ts';

test.each(['owner', 'engine', 'inserted'] as const)(
  '20 kills (%s) in mid-ingest: each acknowledged row is there once',
  async (victim) => {
    const { acknowledged } = await surviveKills(new Array<typeof victim>(20).fill(victim));
    expect(acknowledged).toBeGreaterThan(400);
  },
);
