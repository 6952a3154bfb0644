/**
 * `npm run bench`: the same samples into Trifocal and into what a user would run instead, the same queries against
 * each, in one run on one machine. Figures are read as ratios.
 */
export interface Figure {
  name: string;
  unit: string;
  trifocal: number;
  peer?: { name: string; version: string; value: number };
  /** How many times better Trifocal is; under 1 is worse. */
  ratio?: number;
  machine: string;
}
