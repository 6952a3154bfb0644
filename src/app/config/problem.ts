/** One thing wrong with a file: where, what, and what to do. */
export interface ConfigProblem {
  file: string;
  line?: number;
  column?: number;
  message: string;
}

/** `trifocal.yaml:3:5: …`, the form that editors make clickable. */
export function formatProblem({ file, line, column, message }: ConfigProblem): string {
  const place = [file, line, column].filter((part) => part !== undefined).join(':');
  return `${place}: ${message}`;
}

/** The configuration can't be used. */
export class ConfigError extends Error {
  override name = 'ConfigError';
  readonly problems: readonly ConfigProblem[];
  constructor(problems: readonly ConfigProblem[]) {
    super(problems.map(formatProblem).join('\n'));
    this.problems = problems;
  }
}
