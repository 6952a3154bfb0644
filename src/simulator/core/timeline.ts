/**
 * Simulated time: what happens next, in order of time and, at the same instant, of scheduling. Nothing here looks at
 * the real clock, so an hour runs as fast as the machine allows and always the same way.
 */
export interface Timeline {
  /** Milliseconds since the epoch, with fractions. */
  readonly now: number;
  /** Runs `action` at that time; a time that has passed means now. */
  at(timeMs: number, action: () => void): void;
  /** Runs everything due up to and including that time. */
  runTo(timeMs: number): void;
}

interface Entry {
  at: number;
  order: number;
  action: () => void;
}

export function createTimeline(startMs: number): Timeline {
  const heap: Entry[] = [];
  let now = startMs;
  let order = 0;
  return {
    get now() {
      return now;
    },
    at(timeMs, action) {
      push(heap, { at: Math.max(now, timeMs), order: order++, action });
    },
    runTo(timeMs) {
      for (let first = heap[0]; first !== undefined && first.at <= timeMs; first = heap[0]) {
        removeFirst(heap);
        now = first.at;
        first.action();
      }
      now = Math.max(now, timeMs);
    },
  };
}

function before(a: Entry, b: Entry): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}

function push(heap: Entry[], entry: Entry): void {
  let i = heap.length;
  heap.push(entry);
  while (i > 0) {
    const parentAt = (i - 1) >> 1;
    const parent = heap[parentAt];
    if (parent === undefined || !before(entry, parent)) break;
    heap[i] = parent;
    i = parentAt;
  }
  heap[i] = entry;
}

function removeFirst(heap: Entry[]): void {
  const last = heap.pop();
  if (last === undefined || heap.length === 0) return;
  let i = 0;
  for (;;) {
    let childAt = 2 * i + 1;
    let child = heap[childAt];
    if (child === undefined) break;
    const right = heap[childAt + 1];
    if (right !== undefined && before(right, child)) {
      child = right;
      childAt++;
    }
    if (!before(child, last)) break;
    heap[i] = child;
    i = childAt;
  }
  heap[i] = last;
}
