import type { LabelSet } from '../../../model/index.ts';

/** Where a label set falls in [0, 1): the same for the same labels everywhere, and evenly spread (FNV-1a with a final mix). */
export function labelHashRatio(labels: LabelSet): number {
  let hash = 0x811c9dc5;
  for (const text of labels) {
    for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
    hash = Math.imul(hash ^ 0xff, 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}
