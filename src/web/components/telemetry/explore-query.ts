/** Names that PromQL takes as they are; others are quoted, as Prometheus 3 has it. */
const PLAIN_METRIC = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const PLAIN_LABEL = /^[a-zA-Z_][a-zA-Z0-9_]*$/;

/** How many series a metric has, cluster by cluster. */
export function seriesCountQuery(metric: string): string {
  return `count by (cluster) (${selector(metric)})`;
}

/** How many values a label of a metric has: one line, however many they are. */
export function valueCountQuery(metric: string, label: string): string {
  return `count(count by (${PLAIN_LABEL.test(label) ? label : quote(label)}) (${selector(metric)}))`;
}

function selector(metric: string): string {
  return PLAIN_METRIC.test(metric) ? metric : `{${quote(metric)}}`;
}

function quote(text: string): string {
  return `"${text.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n')}"`;
}
