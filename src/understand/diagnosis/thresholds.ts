/** Limits of the checks, each with its source. Where a signal has a history, its own history decides and these only say what is too little to matter. */

/** A clock below this share of its usual value is held down; less is the ordinary wander of boost clocks (a few per cent between samples on H100 under mixed load). */
export const CLOCK_DROP = 0.08;
/** How much more than its peers a card must have dropped: what hits all cards alike is not this card's fault. */
export const CLOCK_DROP_OVER_PEERS = 0.05;
/** Share of time under a clock limit that counts; below it lie single events. NVML counts violations in time, so 0.05 is 3 s a minute. */
export const THROTTLED_SHARE = 0.05;
/** °C. Operators set alerts at 80 to 85 (Meta GCM examples); slowdown of data-centre cards begins at 83 to 90. */
export const HOT = 83;
/** °C over its own usual or its peers' that counts as hotter. */
export const HOTTER = 6;
/** Share of the power limit at which a card is power-bound. */
export const AT_POWER_LIMIT = 0.95;
/** kubernetes-mixin, CPUThrottlingHigh. */
export const CPU_THROTTLED = 0.25;
/** awesome-prometheus-alerts: host memory available under 10 %; kubelet evicts near the end. */
export const NODE_MEMORY_LOW = 0.1;
/** Share of CPU time in use above which tasks queue. */
export const NODE_CPU_HIGH = 0.9;
/** Share of time in which tasks waited (PSI some) that users begin to feel. */
export const NODE_PRESSURE = 0.2;
/** awesome-prometheus-alerts: CPU steal noisy neighbour. */
export const NODE_STEAL = 0.1;
/** awesome-prometheus-alerts: disk available under 10 %; kubelet evicts at nodefs.available under 10 %. */
export const DISK_FULL = 0.9;
/** One per cent of segments sent again halves the throughput of long flows; healthy data centres lie far under 0.1 %. */
export const RETRANSMITS = 0.01;
/** GAIE: average KV-cache utilisation over 0.9 is critical. */
export const KV_FULL = 0.9;
/** Share of the memory limit near which the kernel kills. */
export const NEAR_MEMORY_LIMIT = 0.9;
/** Seconds: awesome-prometheus-alerts, clock skew. */
export const CLOCK_SKEW = 0.05;
/** Growth of demand that can explain a queue; diurnal drift within an hour stays below. */
export const DEMAND_FACTOR = 1.3;
