/** Regular expressions with RE2's syntax and linear time, for patterns that users write. */

export { compilePattern, literalsOf, PatternError } from './pattern.ts';
export { expandTemplate } from './template.ts';
