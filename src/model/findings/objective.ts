/** Seconds to the first token at the 95th percentile: what model services are held against until objectives are declared. */
export const DEFAULT_TTFT_OBJECTIVE = 2;
