import type { Logger } from '../base/index.ts';

/** What has been opened and must be closed, the last one first. A step that fails is logged and the rest goes on. */
export interface Closers {
  add(what: string, close: () => unknown): void;
  closeAll(): Promise<void>;
}

export function createClosers(logger: Logger): Closers {
  const steps: { what: string; close: () => unknown }[] = [];
  return {
    add: (what, close) => {
      steps.push({ what, close });
    },
    async closeAll() {
      for (let step = steps.pop(); step; step = steps.pop()) {
        try {
          await step.close();
        } catch (error) {
          logger.error({ error: String(error) }, `could not close ${step.what}`);
        }
      }
    },
  };
}
