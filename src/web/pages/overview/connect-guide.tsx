import { Link } from '@tanstack/react-router';
import { CopyButton } from '../../components/copy-button.tsx';
import layout from '../../components/layout.module.css';
import { Panel } from '../../components/panel.tsx';
import styles from './connect-guide.module.css';

const STEPS: readonly { title: string; why: string; text: string }[] = [
  {
    title: 'Kubernetes',
    why: 'gives nodes, workloads, pods, events and changes. In trifocal.yaml:',
    text: 'clusters:\n  - name: my-cluster\n    kubernetes: { kubeconfig: ~/.kube/config }',
  },
  {
    title: 'Metrics of model servers and GPUs',
    why: 'from a Prometheus you run, by remote write:',
    text: 'remote_write:\n  - url: http://127.0.0.1:4319/prometheus/api/v1/write',
  },
  {
    title: 'Traces and logs',
    why: 'from any OpenTelemetry SDK or collector:',
    text: 'OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318',
  },
];

/** What stands on the overview while nothing is connected: how to fill it. */
export function ConnectGuide() {
  return (
    <Panel title="Connect your telemetry" note="what each source makes visible">
      <ol className={styles.steps}>
        {STEPS.map(({ title, why, text }) => (
          <li key={title} className={styles.step}>
            <strong>{title}</strong> <span className={layout.secondary}>{why}</span>
            <div className={styles.code}>
              <pre>{text}</pre>
              <CopyButton text={text} label={`Copy: ${title}`} />
            </div>
          </li>
        ))}
      </ol>
      <p className={layout.secondary}>
        A model service appears as soon as a workload's containers run a known engine or its metrics arrive.{' '}
        <Link to="/telemetry">Telemetry</Link> shows what has arrived so far.
      </p>
    </Panel>
  );
}
