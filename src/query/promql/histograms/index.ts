/** Native histograms as values of PromQL: their buckets, arithmetic, and what can be estimated from them. */

export { bucketsOf, describeHistogram } from './buckets.ts';
export { combine, divide, isReset, sameHistogram, scale } from './combine.ts';
export { fractionOfHistogram, quantileOfHistogram, varianceOfHistogram } from './estimate.ts';
