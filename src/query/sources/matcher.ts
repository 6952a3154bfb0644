import { type LabelSet, labelValue } from '../../model/index.ts';
import { compilePattern } from '../re2/index.ts';
import type { Matcher } from './contract.ts';

/** What a matcher says about a value; throws PatternError. A missing label is `''`. */
export function compileMatcher(matcher: Matcher): (value: string) => boolean {
  const { op, value } = matcher;
  if (op === '=') return (text) => text === value;
  if (op === '!=') return (text) => text !== value;
  const pattern = compilePattern(value);
  return op === '=~' ? (text) => pattern.matches(text) : (text) => !pattern.matches(text);
}

/** Whether a series matches all; `cluster` is where it is stored, which `cluster` matchers see when it has no such label. */
export function compileMatchers(matchers: readonly Matcher[]): (labels: LabelSet, cluster: string) => boolean {
  const compiled = matchers.map((matcher) => ({ name: matcher.name, test: compileMatcher(matcher) }));
  return (labels, cluster) =>
    compiled.every(({ name, test }) => test(labelValue(labels, name) || (name === 'cluster' ? cluster : '')));
}
