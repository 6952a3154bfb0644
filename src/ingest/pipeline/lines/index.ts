/**
 * What is understood of log lines: pieces of them put together, their length bounded, severity and ids found. Pure
 * functions over decoded records; the text that a program printed is kept as it is.
 */

export { cutLine, shortenBeforeRedaction } from './cut-line.ts';
export { type Ids, idsInAttributes, idsInLine, REQUEST_ID } from './ids.ts';
export { createLineJoiner } from './join-lines.ts';
export { severityOfLine, severityOfWord } from './severity.ts';
