import { PromqlError } from '../error.ts';
import type { FunctionCall } from './call.ts';
import { formatNumber } from './number-text.ts';

/** Quantiles outside of [0, 1] have an answer, but hardly the one that was wanted. */
export function checkQuantiles(call: FunctionCall, params: readonly Float64Array[]): void {
  for (const q of params[0] ?? []) {
    if (q >= 0 && q <= 1) continue;
    call.query.annotations.warn(`quantile value should be between 0 and 1, got ${formatNumber(q)}`, call.arg(0).span);
  }
}

/** Both factors of the smoothing must lie strictly between 0 and 1. */
export function checkSmoothing(_call: FunctionCall, params: readonly Float64Array[]): void {
  const [smoothing, trend] = params;
  const badSmoothing = smoothing?.find((factor) => !(factor > 0 && factor < 1));
  if (badSmoothing !== undefined) {
    throw new PromqlError(
      'execution',
      `invalid smoothing factor. Expected: 0 < sf < 1, got: ${formatNumber(badSmoothing)}`,
    );
  }
  const badTrend = trend?.find((factor) => !(factor > 0 && factor < 1));
  if (badTrend !== undefined) {
    throw new PromqlError('execution', `invalid trend factor. Expected: 0 < tf < 1, got: ${formatNumber(badTrend)}`);
  }
}
