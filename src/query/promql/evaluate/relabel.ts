import { labelValue, METRIC_NAME } from '../../../model/index.ts';
import { compilePattern, expandTemplate, PatternError } from '../../re2/index.ts';
import { PromqlError } from '../error.ts';
import { isValidName, quote } from '../syntax/index.ts';
import { mergeEqual, replaceLabel } from './names.ts';
import type { Row } from './values.ts';

/** `label_replace`: where the whole source value matches, the target label becomes the expanded replacement. */
export function labelReplace(
  rows: Row[],
  texts: { target: string; replacement: string; source: string; pattern: string },
): Row[] {
  const { target, replacement, source, pattern } = texts;
  const compiled = compileFor(pattern);
  if (!isValidName(target))
    throw new PromqlError('execution', `invalid destination label name in label_replace(): ${quote(target)}`);
  return relabel(rows, target, (row) => {
    const groups = compiled.groups(labelValue(row.labels, source));
    return groups && expandTemplate(replacement, groups);
  });
}

function compileFor(pattern: string) {
  try {
    return compilePattern(pattern);
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    throw new PromqlError('execution', `invalid regular expression in label_replace(): ${pattern}`, { cause: error });
  }
}

/** `label_join`: the target label becomes the source values, joined. */
export function labelJoin(
  rows: Row[],
  texts: { target: string; separator: string; sources: readonly string[] },
): Row[] {
  const { target, separator, sources } = texts;
  if (!isValidName(target))
    throw new PromqlError('execution', `invalid destination label name in label_join(): ${quote(target)}`);
  const invalid = sources.find((source) => !isValidName(source));
  if (invalid !== undefined)
    throw new PromqlError('execution', `invalid source label name in label_join(): ${quote(invalid)}`);
  return relabel(rows, target, (row) => sources.map((source) => labelValue(row.labels, source)).join(separator));
}

/** A name that is set here is no longer one to be dropped. */
function relabel(rows: Row[], target: string, value: (row: Row) => string | undefined): Row[] {
  return mergeEqual(
    rows.map((row) => {
      const text = value(row);
      if (text === undefined) return row;
      return {
        ...row,
        labels: replaceLabel(row.labels, target, text),
        dropName: row.dropName && target !== METRIC_NAME,
      };
    }),
  );
}
