/**
 * A simulated estate of clusters with GPUs and model servers. `main.ts` runs it as a program that reaches Trifocal only
 * through the doors that users come through; this door is for tests and benchmarks that run one in their own process.
 * Imports no server code.
 */

export { defaultEstate } from './blueprint.ts';
export { createEstate, type Estate } from './estate.ts';
export { renderPage } from './pages/page.ts';
