import { Panel } from '../../components/panel.tsx';
import styles from './metrics.module.css';

const EXAMPLES: readonly { asks: string; query: string }[] = [
  {
    asks: 'Time to first token, 95th percentile, by pod',
    query: 'histogram_quantile(0.95, sum by (pod, le) (rate(vllm:time_to_first_token_seconds_bucket[2m])))',
  },
  { asks: 'Output tokens per second, by model', query: 'sum by (model_name) (rate(vllm:generation_tokens_total[2m]))' },
  { asks: 'Requests waiting', query: 'sum by (cluster, model_name) (vllm:num_requests_waiting)' },
  { asks: 'SM clock of each GPU', query: 'DCGM_FI_DEV_SM_CLOCK' },
  { asks: 'Which targets answer', query: 'up' },
];

/** Where to begin while nothing is asked. */
export function Examples({ onPick }: { onPick: (query: string) => void }) {
  return (
    <Panel title="For example">
      <ul className={styles.examples}>
        {EXAMPLES.map(({ asks, query }) => (
          <li key={query}>
            <button type="button" className={styles.example} onClick={() => onPick(query)}>
              <span>{asks}</span>
              <code>{query}</code>
            </button>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
