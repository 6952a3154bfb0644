import { withoutAnsi } from './ansi.ts';

/**
 * Which lines of a log belong to one stack trace: Python, Java and others with `at` frames (Node, .NET), Go. Judges one
 * line at a time, each with a bounded number of linear looks; who comes next to whom is not decided here.
 */
export interface StackTrace {
  kind: 'python' | 'frames' | 'go';
  /** What stands before every line of it, such as `(EngineCore pid=7) ERROR 12-01 14:46:59 [core.py:708] `; may be empty. */
  prefix: string;
  /** Python: in frames, after the exception's line, or between chained tracebacks. */
  state: 'frames' | 'raised' | 'chained';
  /** Only its first line has come. */
  fresh: boolean;
}

/** Whether a line begins a trace by itself. `frames` traces begin one line before, with what `names` an error. */
export function beginsTrace(line: string): StackTrace | undefined {
  switch (line.charCodeAt(0)) {
    case SPACE:
    case TAB:
      if (isFrame(line)) return trace('frames', '');
      break;
    case LETTER_P:
      if (line.startsWith('panic: ')) return trace('go', '');
      break;
    case LETTER_F:
      if (line.startsWith('fatal error: ')) return trace('go', '');
      break;
    case LETTER_G:
      if (GOROUTINE.test(line)) return trace('go', '');
      break;
    default:
  }
  const end = line.charCodeAt(line.length - 1) === CARRIAGE_RETURN ? line.length - 1 : line.length;
  if (line.charCodeAt(end - 1) !== COLON || !line.endsWith(TRACEBACK, end)) return undefined;
  return trace('python', line.slice(0, end - TRACEBACK.length).replace(/ {2}\+ Exception Group $/, ''));
}

/**
 * Whether a line goes on with a trace. `perhaps`: an empty line, which belongs to it only if more does; `other`: a line
 * of another writer of the same stream, as its prefix tells. Advances the trace's state on `yes`.
 */
export function goesOn(trace: StackTrace, line: string): 'yes' | 'no' | 'perhaps' | 'other' {
  const { prefix } = trace;
  if (prefix !== '' && !line.startsWith(prefix)) {
    if (!trace.fresh) return line.length > prefix.length || !prefix.startsWith(line.trimEnd()) ? 'other' : 'perhaps';
    // What stood before `Traceback` was a message, not a prefix of every line.
    const verdict = judge({ ...trace, prefix: '' }, line);
    if (verdict !== 'yes') return /^[([][^)\]]{1,100}[)\]] /.test(prefix) ? 'other' : verdict;
    trace.prefix = '';
  } else if (prefix !== '' && isTimed(prefix)) {
    trace.fresh = false;
    return 'yes'; // the same time and place in front: a logger printed one message
  }
  const verdict = judge(trace, line);
  if (verdict === 'yes') trace.fresh = false;
  return verdict;
}

/** Whether a logger put this before every line of one message: it holds a time of day. */
export function isTimed(prefix: string): boolean {
  return /\d\d:\d\d:\d\d/.test(prefix);
}

/** How many of the lines just before (the last one first) a trace that `beginsTrace` found starts with. */
export function linesBefore(trace: StackTrace, before: readonly string[]): number {
  if (trace.kind === 'python') {
    if (!isTimed(trace.prefix)) return 0;
    const other = before.findIndex((line) => !line.startsWith(trace.prefix));
    return other < 0 ? before.length : other;
  }
  const [last = '', second = '', third = '', fourth = '', fifth = ''] = before.map((line) => line.trimEnd());
  if (trace.kind === 'go') return last.includes('panic') ? 1 : second.includes('panic') && last === '' ? 2 : 0;
  if (!namesError(last)) return 0;
  // Node prints the place, the source line and a caret before an error that nobody caught.
  const uncaught = second === '' && /^\s*\^+$/.test(third) && fourth !== '' && /^\S.{0,1000}:\d+$/.test(fifth);
  return uncaught ? 5 : 1;
}

const SPACE = 0x20;
const TAB = 0x09;
const COLON = 0x3a;
const CARRIAGE_RETURN = 0x0d;
const LETTER_F = 0x66;
const LETTER_G = 0x67;
const LETTER_P = 0x70;
const TRACEBACK = 'Traceback (most recent call last):';
const GOROUTINE = /^goroutine \d{1,19} (?:gp=\S{1,40} m=\S{1,20} (?:mp=\S{1,40} )?)?\[/;

function trace(kind: StackTrace['kind'], prefix: string): StackTrace {
  return { kind, prefix, state: 'frames', fresh: true };
}

/** `\tat com.example.App.run(App.java:12)`, `    at main (/app/index.js:3:9)`, `   at App.Run() in /src/App.cs:line 7`. */
function isFrame(line: string): boolean {
  const text = withoutAnsi(line).trim();
  return text.length < 4096 && text.startsWith('at ') && /(?:\)|\]|:\d{1,9}|:line \d{1,9})$/.test(text);
}

const LEVEL = /^(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|CRITICAL|FATAL)\b/i;

function namesError(line: string): boolean {
  const text = withoutAnsi(line);
  if (text === '' || isFrame(line)) return false;
  const head = text.length > 2000 ? text.slice(0, 2000) : text;
  if (/Error|Exception|Throwable|Caused by|[Pp]anic|Trace\b|rejection/.test(head)) return true;
  return !LEVEL.test(head) && /^[A-Za-z_$][\w$.]{0,200}(?::|$)/.test(head);
}

function judge(trace: StackTrace, line: string): 'yes' | 'no' | 'perhaps' {
  const text = withoutAnsi(line.slice(trace.prefix.length)).trimEnd();
  if (text === '') return trace.kind === 'python' && trace.state === 'chained' ? 'yes' : 'perhaps';
  const first = text.charCodeAt(0);
  const indented = first === SPACE || first === TAB;
  switch (trace.kind) {
    case 'python':
      return judgePython(trace, text, indented);
    case 'frames':
      return indented || text === '}' || FRAMES_GO_ON.test(text) ? 'yes' : 'no';
    case 'go':
      return indented || GO_GOES_ON.test(text) || isGoCall(text) ? 'yes' : 'no';
  }
}

function judgePython(trace: StackTrace, text: string, indented: boolean): 'yes' | 'no' {
  if (indented) return 'yes';
  if (trace.state === 'chained') {
    if (!text.endsWith(TRACEBACK)) return 'no';
    trace.state = 'frames';
    return 'yes';
  }
  if (trace.state === 'frames') {
    if (!PYTHON_EXCEPTION.test(text) || LEVEL.test(text)) return 'no';
    trace.state = 'raised';
    return 'yes';
  }
  if (text.startsWith('During handling of ') || text.startsWith('The above exception was ')) {
    trace.state = 'chained';
    return 'yes';
  }
  return CUDA_HINT.test(text) ? 'yes' : 'no';
}

const PYTHON_EXCEPTION = /^[A-Za-z_][\w.]{0,200}(?::|$)/;
/** What PyTorch puts below the first line of a CUDA error. */
const CUDA_HINT =
  /^(?:CUDA kernel errors might|For debugging consider passing|Compile with `TORCH_USE|Search for `cudaError)/;
const FRAMES_GO_ON = /^(?:Caused by: |Suppressed: |\.\.\. \d{1,6} |Node\.js v\d|\[cause\]: )/;
const GO_GOES_ON =
  /^(?:goroutine \d{1,19} |created by |\[signal |\[originating from |\[recovered|panic: |runtime stack:|exit status \d|[a-z][a-z0-9]{1,5} +0x[0-9a-f]{1,16}$)/;

/** `main.(*Server).run(0xc0000b4000, {0x1, 0x2})`: a path without spaces, then arguments to the end. */
function isGoCall(text: string): boolean {
  if (text.charCodeAt(text.length - 1) !== 0x29 || text.length > 4096) return false;
  const open = /^[\w./~@%\-·*()[\]]{1,500}\(/.exec(text)?.[0];
  return open !== undefined && !/^\d/.test(text);
}
