/**
 * Cuts long work into turns of the event loop, so that a big request does not hold up everybody else.
 * Usage: `if (turns.over()) await turns.next()` wherever the work may pause.
 */
export interface Turns {
  over(): boolean;
  next(): Promise<void>;
}

/** Turns of about `budgetMs`. Checking costs about 30 ns, so check every few hundred cheap steps. */
export function createTurns(budgetMs = 8): Turns {
  let end = performance.now() + budgetMs;
  return {
    over: () => performance.now() > end,
    next: () =>
      new Promise((resolve) => {
        setImmediate(() => {
          end = performance.now() + budgetMs;
          resolve();
        });
      }),
  };
}
