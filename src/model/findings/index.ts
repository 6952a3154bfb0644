/** What an investigation asks, finds and concludes. */

export * from './investigation.ts';
export * from './mechanism.ts';
export * from './objective.ts';
export * from './question.ts';
