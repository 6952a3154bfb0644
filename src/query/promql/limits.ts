/** What one query may cost; going over is an error that says which limit. */
export interface PromqlLimits {
  seconds: number;
  memoryBytes: number;
  /** Series that one selector may match. */
  series: number;
  /** Samples and points that one query may hold or compute. */
  samples: number;
}

export const DEFAULT_LIMITS: PromqlLimits = {
  seconds: 60,
  memoryBytes: 1024 ** 3,
  series: 200_000,
  samples: 50_000_000,
};
