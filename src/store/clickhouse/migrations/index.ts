/** The telemetry schema's steps and what applies them. */
export { migrate } from './migrate.ts';
export { migrations } from './steps.ts';
