/** How a cause produces its symptom; one name per fault of the catalogue, with the layer it belongs to. */
export const MECHANISMS = {
  'gpu-thermal-throttle': 'infrastructure', 'gpu-power-cap': 'infrastructure', 'gpu-lost': 'infrastructure',
  'gpu-memory-fault': 'infrastructure', 'pcie-degraded': 'infrastructure', 'nvlink-fault': 'infrastructure',
  'node-packet-loss': 'infrastructure', 'storage-slow': 'infrastructure',
  'memory-limit-oom': 'kubernetes', 'cpu-limit-throttle': 'kubernetes', 'noisy-neighbour': 'kubernetes', 'bad-rollout': 'kubernetes',
  'probe-misconfigured': 'kubernetes', 'insufficient-capacity': 'kubernetes', 'node-drained': 'kubernetes', 'selector-mismatch': 'kubernetes',
  'kv-cache-exhausted': 'serving', 'prefix-cache-collapse': 'serving', 'batch-limit-low': 'serving', 'replica-degraded': 'serving',
  'adapter-thrash': 'serving', 'speculation-collapse': 'serving', 'routing-hotspot': 'serving', 'output-runaway': 'serving',
  'exporter-down': 'telemetry', 'scrape-timeout': 'telemetry', 'clock-skew': 'telemetry', 'counter-reset': 'telemetry',
  'log-pipeline-drop': 'telemetry', 'sampling-change': 'telemetry', 'metric-renamed': 'telemetry', 'duplicate-scrape': 'telemetry',
  'long-prompt-regression': 'application', 'demand-burst': 'application', 'dependency-slow': 'application', 'dependency-timeout': 'application',
  'retry-storm': 'application', 'idle-timeout-cut': 'application', 'credential-error': 'application', 'client-change': 'application',
  'image-pull-failed': 'kubernetes', 'model-file-missing': 'serving', 'hub-auth-failed': 'serving', 'gpu-oom-at-load': 'serving',
  'node-memory-pressure': 'infrastructure', 'disk-pressure': 'infrastructure', 'dns-failure': 'kubernetes', 'gpu-neighbour': 'infrastructure',
  'vm-steal': 'infrastructure', 'volume-slow': 'infrastructure',
} as const; // biome-ignore format: a table to read

export type Mechanism = keyof typeof MECHANISMS;
export type CauseLayer = (typeof MECHANISMS)[Mechanism];
