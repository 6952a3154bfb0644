import { parseDuration } from '../../src/model/index.ts';
import { type LoadedSeries, parseSeriesLine } from './series.ts';

/** A promqltest script: loads, clears and evaluations in their order, with line numbers. */
export type Command =
  | { kind: 'clear'; line: number }
  | { kind: 'load'; line: number; stepMs: number; series: LoadedSeries[] }
  | Evaluation;

export interface Evaluation {
  kind: 'eval';
  line: number;
  query: string;
  at: { kind: 'instant'; timeMs: number } | { kind: 'range'; startMs: number; endMs: number; stepMs: number };
  expect: Expectations;
  /** Lines of expected series, or one number. */
  series: LoadedSeries[];
  scalar?: number;
}

export interface Expectations {
  fail?: TextTest;
  warn?: TextTest;
  info?: TextTest;
  noWarn?: boolean;
  noInfo?: boolean;
  ordered?: boolean;
  string?: string;
  /** The result is a matrix with these times. */
  rangeVector?: { startMs: number; stepMs: number };
}

export type TextTest = { kind: 'any' } | { kind: 'message'; text: string } | { kind: 'regex'; text: string };

/** Parses a script; throws an Error that names the line. */
export function parseScript(text: string): Command[] {
  const lines = text.split('\n').map((line) => {
    const trimmed = line.trim();
    return trimmed.startsWith('#') ? '' : trimmed;
  });
  const commands: Command[] = [];
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? '';
    if (line === '') continue;
    const block: { text: string; line: number }[] = [];
    if (!line.startsWith('clear')) {
      while ((lines[at + 1] ?? '') !== '') block.push({ text: lines[++at] ?? '', line: at + 1 });
    }
    commands.push(parseCommand(line, at + 1 - block.length, block));
  }
  return commands;
}

type Block = { text: string; line: number }[];

function parseCommand(head: string, line: number, block: Block): Command {
  if (head === 'clear') return { kind: 'clear', line };
  const load = /^load(?:_with_nhcb)?\s+(\S+)$/.exec(head);
  if (load)
    return {
      kind: 'load',
      line,
      stepMs: timeOf(load[1] ?? '', line),
      series: block.map((one) => parseSeriesLine(one.text, one.line)),
    };
  const instant = /^eval(_\w+)?\s+instant\s+(?:at\s+(\S+)\s+)?(.+)$/.exec(head);
  if (instant) {
    const at = { kind: 'instant' as const, timeMs: timeOf(instant[2] ?? '0', line) };
    return evaluation(line, instant[3] ?? '', at, instant[1], block);
  }
  const range = /^eval(_\w+)?\s+range\s+from\s+(\S+)\s+to\s+(\S+)\s+step\s+(\S+)\s+(.+)$/.exec(head);
  if (!range) throw new Error(`line ${line}: not a command: ${head}`);
  const [startMs, endMs, stepMs] = [range[2], range[3], range[4]].map((text) => timeOf(text ?? '', line));
  return evaluation(
    line,
    range[5] ?? '',
    { kind: 'range', startMs: startMs ?? 0, endMs: endMs ?? 0, stepMs: stepMs ?? 0 },
    range[1],
    block,
  );
}

function timeOf(text: string, line: number): number {
  const sign = text.startsWith('-') ? -1 : 1;
  const bare = text.replace(/^[-+]/, '');
  const ms = /^[\d.]+$/.test(bare) ? Number(bare) * 1000 : parseDuration(bare);
  if (ms === undefined) throw new Error(`line ${line}: not a time: ${text}`);
  return sign * ms;
}

const SUFFIXES: Record<string, Partial<Expectations>> = {
  _fail: { fail: { kind: 'any' } },
  _warn: { warn: { kind: 'any' } },
  _info: { info: { kind: 'any' } },
  _ordered: { ordered: true },
};

function evaluation(
  line: number,
  query: string,
  at: Evaluation['at'],
  suffix: string | undefined,
  block: Block,
): Evaluation {
  const result: Evaluation = { kind: 'eval', line, query, at, expect: { ...SUFFIXES[suffix ?? ''] }, series: [] };
  for (const one of block) {
    const old = /^expected_fail_(message|regexp)\s+(.*)$/.exec(one.text);
    if (old) result.expect.fail = { kind: old[1] === 'message' ? 'message' : 'regex', text: old[2] ?? '' };
    else if (/^expect\s/.test(one.text)) addExpectation(result.expect, one.text, one.line);
    else if (/^[-+]?(?:[\d.]|inf|nan)/i.test(one.text) && !/[{\s]/.test(one.text))
      result.scalar = Number(one.text.replace(/inf/i, 'Infinity'));
    else result.series.push(parseSeriesLine(one.text, one.line));
  }
  return result;
}

function addExpectation(expect: Expectations, text: string, line: number): void {
  const rest = text.replace(/^expect\s+/, '');
  const range = /^range vector from (\S+) to \S+ step (\S+)$/.exec(rest);
  if (range) {
    expect.rangeVector = { startMs: timeOf(range[1] ?? '', line), stepMs: timeOf(range[2] ?? '', line) };
    return;
  }
  const string = /^string\s+(["'`])(.*)\1$/.exec(rest);
  if (string) {
    expect.string = string[2] ?? '';
    return;
  }
  const [, what = '', form, message = ''] = /^(\w+)(?:\s+(msg|regex):\s*(.*))?$/.exec(rest) ?? [];
  const test: TextTest =
    form === 'msg'
      ? { kind: 'message', text: message }
      : form === 'regex'
        ? { kind: 'regex', text: message }
        : { kind: 'any' };
  if (what === 'fail' || what === 'warn' || what === 'info') expect[what] = test;
  else if (what === 'no_warn') expect.noWarn = true;
  else if (what === 'no_info') expect.noInfo = true;
  else if (what === 'ordered') expect.ordered = true;
  else throw new Error(`line ${line}: not an expectation: ${text}`);
}
