import { expect, test } from 'vitest';
import { surviveKills } from './crash-harness.ts';

test('each acknowledged row is there once after the server and the engine were killed in mid-ingest', async () => {
  const { acknowledged } = await surviveKills(['engine', 'owner', 'inserted']);
  expect(acknowledged).toBeGreaterThan(60);
}, 120_000);
