import { expect, test } from 'vitest';
import { highlightMarks } from './highlight-marks.ts';

test.each([
  ['nothing', 'plain', 'plain', [], [{ text: 'plain' }]],
  [
    'two rules, text between and behind',
    'mail a@b.example, key AKIA1234 end',
    'mail [redacted:email], key [redacted:aws-key] end',
    [
      { rule: 'email', start: 5, end: 16 },
      { rule: 'aws-key', start: 22, end: 30 },
    ],
    [
      { text: 'mail ' },
      { text: '[redacted:email]', rule: 'email', hidden: 'a@b.example' },
      { text: ', key ' },
      { text: '[redacted:aws-key]', rule: 'aws-key', hidden: 'AKIA1234' },
      { text: ' end' },
    ],
  ],
  [
    'a mark that was sent as text stays text',
    'was [redacted:email], is a@b.example',
    'was [redacted:email], is [redacted:email]',
    [{ rule: 'email', start: 25, end: 36 }],
    [{ text: 'was [redacted:email], is ' }, { text: '[redacted:email]', rule: 'email', hidden: 'a@b.example' }],
  ],
  [
    'all of it',
    'x',
    '[redacted:card]',
    [{ rule: 'card', start: 0, end: 1 }],
    [{ text: '[redacted:card]', rule: 'card', hidden: 'x' }],
  ],
  ['a match whose mark is not there', 'x y', 'x y', [{ rule: 'card', start: 0, end: 1 }], [{ text: 'x y' }]],
])('%s', (_, sent, text, matches, expected) => {
  expect(highlightMarks(sent, { text, matches })).toEqual(expected);
});
