import { expect, test } from 'vitest';
import { foldText, readLogText } from './log-text.ts';

test.each([
  ['plain', 'INFO started', { text: 'INFO started' }],
  ['colours', '\u001b[1;32mINFO\u001b[0m: \u001b[38;5;208mready\u001b[m', { text: 'INFO: ready' }],
  ['a link', '\u001b]8;;https://a.example\u0007here\u001b]8;;\u001b\\', { text: 'here' }],
  ['moves and character sets', '\u001b[2K\u001b(B\u009b31m50 %', { text: '50 %' }],
  ['an escape that is none', 'a [0m b', { text: 'a [0m b' }],
  ['an unfinished one loses no text', 'a\u001b[31', { text: 'a\u001b[31' }],
  ['line ends of Windows', 'a\r\nb', { text: 'a\nb' }],
  ['cut', 'x'.repeat(50).concat('…[cut: 1843200 bytes]'), { text: 'x'.repeat(50), cutBytes: 1_843_200 }],
  ['a mark in the middle is text', 'a …[cut: 5 bytes] b', { text: 'a …[cut: 5 bytes] b' }],
])('%s', (_, body, expected) => {
  expect(readLogText(body)).toEqual(expected);
});

test.each([
  ['one line', 'ready', { head: 'ready', more: 0 }],
  ['many', '\njava.lang.X: no\n\tat a\n\tat b\n', { head: 'java.lang.X: no', more: 3 }],
  [
    'a traceback says its exception',
    '(EngineCore pid=7) Traceback (most recent call last):\n  File "a.py"\nValueError: bad',
    { head: '(EngineCore pid=7) Traceback (most recent call last):', more: 2, tail: 'ValueError: bad' },
  ],
  ['very long', 'y'.repeat(5000), { head: 'y'.repeat(1000), more: 0 }],
])('folded: %s', (_, text, expected) => {
  expect(foldText(text)).toEqual(expected);
});
