import { expect, test } from 'vitest';
import { parseEngineReady } from './handshake.ts';

test.each([
  ['{"port":1234,"version":"26.7"}', { port: 1234, version: '26.7' }],
  ['{"error":"no room"}', { error: 'no room' }],
  ['Processing configuration file', undefined],
  ['', undefined],
  ['1', undefined],
  ['null', undefined],
  ['{"port":"1234","version":"26.7"}', undefined],
])('%s', (line, answer) => {
  expect(parseEngineReady(line)).toEqual(answer);
});
