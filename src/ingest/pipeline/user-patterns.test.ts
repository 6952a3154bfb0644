import { expect, it, test } from 'vitest';
import { createRedactor } from './redact.ts';
import { checkUserPattern, compileUserRule, type UserPattern } from './user-patterns.ts';

const good: UserPattern = { name: 'employee', literal: 'EMP-', pattern: 'EMP-[0-9]{6}' };

test.each<[string, Partial<UserPattern>, key: keyof UserPattern | undefined, message: RegExp]>([
  ['good', {}, undefined, /./],
  ['a literal in a group', { pattern: '(?:id=)?(EMP-\\d+)' }, undefined, /./],
  ['a literal with escaped characters', { literal: 'a.b', pattern: 'a\\.b\\w+' }, undefined, /./],
  ['a literal before a class that holds brackets', { pattern: '[]x)(]+EMP-[^]]' }, undefined, /./],
  ['a literal in \\Q…\\E', { literal: 'a.b(', pattern: '\\Qa.b(\\E.' }, undefined, /./],
  ['a repeated character ends what can be told', { literal: 'EMPP', pattern: 'EMP+-x' }, 'literal', /not every match/],
  ['a group that stands once or more', { pattern: '(?:EMP-)+x' }, undefined, /./],
  ['flags without i', { pattern: '(?s)EMP-.' }, undefined, /./],
  ['a name that is none', { name: 'Employee ID' }, 'name', /not a name/],
  ['the name of a built-in rule', { name: 'password' }, 'name', /built-in/],
  ['a short literal', { literal: 'E', pattern: 'E\\d' }, 'literal', /too short/],
  ['no RE2', { pattern: 'EMP-(?=x)' }, 'pattern', /error parsing regexp/],
  ['an open bracket', { pattern: 'EMP-[' }, 'pattern', /error parsing regexp/],
  ['matches nothing', { literal: 'EMP', pattern: '(EMP-x)?' }, 'pattern', /empty text/],
  ['any case', { pattern: '(?i)EMP-x' }, 'pattern', /in their case/],
  ['any case in a group', { pattern: '(?i:EMP-)x' }, 'pattern', /in their case/],
  ['a literal in one of two', { pattern: 'EMP-\\d|MGR-\\d' }, 'literal', /not every match/],
  ['a literal that may be missing', { pattern: '(?:EMP-)?\\d+' }, 'literal', /not every match/],
  ['a last character that may be missing', { pattern: 'EMP-?\\d+' }, 'literal', /not every match/],
  ['a literal that may stand no time', { pattern: '(?:EMP-){0,2}x' }, 'literal', /not every match/],
  ['another literal', { literal: 'MGR-' }, 'literal', /not every match/],
])('a pattern is checked: %s', (_, over, key, message) => {
  const [problem, ...more] = checkUserPattern({ ...good, ...over });
  expect(more).toEqual([]);
  expect(problem?.key).toBe(key);
  if (problem !== undefined) expect(problem.message).toMatch(message);
});

test('all of the keys are judged at once', () => {
  const problems = checkUserPattern({ name: 'No', literal: 'E', pattern: 'E[' });
  expect(problems.map(({ key }) => key)).toEqual(['name', 'literal', 'pattern']);
});

test('matches become the mark of the rule, the rest stays', () => {
  const { text, rules } = createRedactor({ patterns: [good] });
  expect(text('of EMP-123456 and EMP-654321.')).toBe('of [redacted:employee] and [redacted:employee].');
  expect(text('EMP-12')).toBe('EMP-12');
  expect(text('emp-123456')).toBe('emp-123456');
  expect(rules().at(-1)).toMatchObject({ name: 'employee', source: 'user', on: true, count: 1 });
});

test('they see what the built-in rules left', () => {
  const { text } = createRedactor({ patterns: [good] });
  expect(text('password=EMP-123456 EMP-123456')).toBe('password=[redacted:password] [redacted:employee]');
});

test.each([0, 900, 3000, 4090, 4096, 5000, 70_000])('a match %d characters into a long text is found', (before) => {
  const text = `${'x'.repeat(before)}EMP-123456${'y'.repeat(9000)}EMP-123456`;
  expect(compileUserRule(good).apply(text)).toBe(
    `${'x'.repeat(before)}[redacted:employee]${'y'.repeat(9000)}[redacted:employee]`,
  );
});

it('takes time in proportion to the text, whatever the pattern and the text', () => {
  // Each search for it looks to the end of the text and finds only three letters: quadratic if searches went on like that.
  const rule = compileUserRule({ name: 'slow', literal: 'aaa', pattern: 'aaa(?:.*b)?' });
  const steps = (length: number) => {
    let notes = 0;
    const text = 'a'.repeat(length);
    const clean = rule.apply(text, () => notes++);
    expect(clean).toMatch(/^(?:\[redacted:slow\])+a{0,2}$/);
    return notes;
  };
  const [short, long] = [steps(20_000), steps(80_000)];
  expect(long / short).toBeLessThan(5);
  // A stretch has at most a hundred matches before the rest of it is hidden at once.
  expect(long).toBeLessThan((80_000 / 2_048) * 102);
});
