import { attributeText, formatLabels, type LogRecord, labelSet } from '../../model/index.ts';
import type { BatchOrigin } from '../sink.ts';
import type { Turns } from '../turns.ts';
import { explainTime, judgeTime, type TimeWindow } from './accept-times.ts';
import type { Enricher } from './enrich.ts';
import type { LogLimits } from './limits.ts';
import { createLineJoiner, cutLine, shortenBeforeRedaction } from './lines/index.ts';
import type { Redactor } from './redact.ts';
import { passOne, type Rejections } from './rejections.ts';

/**
 * The way of log records: pieces of lines are joined, so that a secret which was torn apart is seen; then they are
 * redacted, judged by their times, cut to length and enriched. `changed` counts what is stored but not as it came.
 */
export function createLogsStep(redactor: Redactor, enricher: Enricher, limits: LogLimits) {
  return async (
    logs: readonly LogRecord[],
    origin: BatchOrigin,
    window: TimeWindow,
    turns: Turns,
    rejections: Rejections,
    changed: Rejections,
  ): Promise<LogRecord[]> => {
    const joiner = createLineJoiner(limits.line);
    for (let i = 0; i < logs.length; i++) {
      if (i % 128 === 127 && turns.over()) await turns.next();
      const record = logs[i];
      if (record !== undefined) joiner.add(record);
    }
    const joined = joiner.end();
    const kept: LogRecord[] = [];
    const pass = (whole: LogRecord): LogRecord | undefined => {
      const { text, lost } = shortenBeforeRedaction(whole.body, limits.line);
      const record = redactor.log(lost === 0 ? whole : { ...whole, body: text });
      const ms = Number(record.timeNs / 1_000_000n);
      const misplaced = judgeTime(ms, window);
      if (misplaced !== undefined) {
        rejections.add(
          'logs',
          misplaced,
          () => `entry for stream '${streamText(record)}' ${explainTime(misplaced, ms, window)}`,
        );
        return undefined;
      }
      const body = cutLine(record.body, limits.line, lost);
      if (body === record.body) return enricher.log(record, origin.cluster);
      const enriched = enricher.log({ ...record, body }, origin.cluster);
      changed.add('logs', 'oversize', () => `a line of stream '${streamText(record)}' was cut to ${limits.line} bytes`);
      return enriched;
    };
    for (let i = 0; i < joined.length; i++) {
      if (i % 128 === 127 && turns.over()) await turns.next();
      const whole = joined[i];
      const record = whole && passOne('logs', rejections, () => pass(whole));
      if (record !== undefined) kept.push(record);
    }
    return kept;
  };
}

function streamText(record: LogRecord): string {
  const pairs = [...record.resource].map(([name, value]): [string, string] => [name, attributeText(value)]);
  return formatLabels(labelSet(pairs)).slice(0, 500);
}
