import type { Binary } from '../syntax/index.ts';
import type { Query } from './query.ts';
import { signatureOf } from './signature.ts';
import { isEmpty, mark, type Row } from './values.ts';

/** `and`, `or`, `unless`: which elements stay is decided by the labels of the other side at the same point. */
export function combineSets(expr: Binary, left: Row[], right: Row[], query: Query): Row[] {
  const signature = signatureOf(expr.matching);
  if (expr.op === 'or') {
    const known = presenceBySignature(left, signature);
    return [...left, ...right.map((row) => mask(row, known.get(signature(row.labels)), 'absent', query))].filter(
      (row) => !isEmpty(row),
    );
  }
  const known = presenceBySignature(right, signature);
  const keep = expr.op === 'and' ? 'present' : 'absent';
  return left.map((row) => mask(row, known.get(signature(row.labels)), keep, query)).filter((row) => !isEmpty(row));
}

function presenceBySignature(rows: Row[], signature: (labels: Row['labels']) => string): Map<string, Uint8Array> {
  const presence = new Map<string, Uint8Array>();
  for (const row of rows) {
    const key = signature(row.labels);
    const known = presence.get(key);
    if (known) mark(known, row);
    else presence.set(key, row.present.slice());
  }
  return presence;
}

/** The row where the other side has an element, or where it has none. */
function mask(row: Row, other: Uint8Array | undefined, keep: 'present' | 'absent', query: Query): Row {
  if (!other && keep === 'absent') return row;
  query.budget.spend(row.present.length / 8);
  const wanted = keep === 'present' ? 1 : 0;
  return { ...row, present: row.present.map((is, step) => (is && (other?.[step] ?? 0) === wanted ? 1 : 0)) };
}
