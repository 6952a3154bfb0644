/** Bounds on what senders may bring. The configuration's schema takes its defaults from here. */
export interface CardinalityLimits {
  /** Active series of the whole installation: seen within the last one to two hours. */
  series: number;
  /** Active series of one cluster. */
  perCluster: number;
  /** Active series of one metric in one cluster. */
  perMetric: number;
  /** Labels of one series, the metric's name included. */
  labels: number;
  /** Characters of a label's name and value. */
  labelName: number;
  labelValue: number;
}

export const defaultCardinalityLimits: CardinalityLimits = {
  series: 1_000_000,
  perCluster: 1_000_000,
  perMetric: 100_000,
  labels: 60,
  labelName: 1024,
  labelValue: 4096,
};

export interface LogLimits {
  /** Bytes of one line; what is beyond is cut off and marked. */
  line: number;
  /** Labels of one Loki stream. */
  streamLabels: number;
}

export const defaultLogLimits: LogLimits = { line: 256 * 1024, streamLabels: 60 };
