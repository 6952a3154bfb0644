/** A line on a terminal that is written over; elsewhere nothing is shown. */
export interface ProgressLine {
  /** Shows the text, at most five times a second; it is only made when it is shown. */
  show(text: () => string): void;
  clear(): void;
}

const EVERY_MS = 200;

export function progressLine(write: (text: string) => void): ProgressLine {
  if (!process.stderr.isTTY) return { show: () => {}, clear: () => {} };
  let last = 0;
  return {
    show(text) {
      const now = performance.now();
      if (now - last < EVERY_MS) return;
      last = now;
      write(`\r\u001b[K${text()}`);
    },
    clear() {
      if (last > 0) write('\r\u001b[K');
    },
  };
}
