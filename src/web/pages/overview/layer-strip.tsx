import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { EntitySummary, TelemetryResponse } from '../../../api/contract/index.ts';
import { isTrouble, type State, stateOfHealth, worstState } from '../../components/state.ts';
import { StateMark } from '../../components/state-mark.tsx';
import { lookOf, sourceName, troubledSources } from '../../components/telemetry/source-state.ts';
import { coarse, counted, shortGpuName } from '../../format/index.ts';
import { useNow, usePageSearch } from '../../page.ts';
import { entitiesQuery, telemetryQuery } from '../../queries.ts';
import type { ModelService } from '../models/use-model-services.ts';
import styles from './layer-strip.module.css';

interface Layer {
  name: string;
  to: '/gpus' | '/workloads' | '/models' | '/telemetry' | '/investigations';
  state: State;
  /** What it could see, and the worst of it. */
  words: string;
}

/** The five layers that are watched: what each could see, and its worst news. */
export function LayerStrip({
  services,
  investigations,
}: {
  services: readonly ModelService[];
  investigations: number | undefined;
}) {
  const now = useNow();
  const { cluster } = usePageSearch();
  const nodes = useQuery(entitiesQuery({ kind: 'node', cluster })).data?.items;
  const gpus = useQuery(entitiesQuery({ kind: 'gpu', cluster })).data?.items;
  const workloads = useQuery(entitiesQuery({ kind: 'workload', cluster })).data?.items;
  const telemetry = useQuery(telemetryQuery()).data;
  const layers: Layer[] = [
    {
      name: 'Infrastructure',
      to: '/gpus',
      ...ofEntities(
        [...(nodes ?? []), ...(gpus ?? [])],
        `${counted(nodes?.length ?? 0, 'node')}, ${counted(gpus?.length ?? 0, 'GPU')}`,
      ),
    },
    {
      name: 'Kubernetes',
      to: '/workloads',
      ...ofEntities(workloads ?? [], counted(workloads?.length ?? 0, 'workload')),
    },
    { name: 'AI services', to: '/models', ...ofServices(services) },
    { name: 'Telemetry', to: '/telemetry', ...ofSources(telemetry, cluster, now) },
    {
      name: 'Operations',
      to: '/investigations',
      state: 'idle',
      words:
        investigations === undefined ? 'not known yet' : `${counted(investigations, 'investigation')} in this range`,
    },
  ];
  return (
    <ul className={styles.strip} aria-label="Layers">
      {layers.map((layer) => (
        <li key={layer.name} className={styles.layer}>
          <Link to={layer.to} className={styles.link}>
            <span className={styles.name}>
              <StateMark state={layer.state} /> {layer.name}
            </span>
            <span className={styles.words} title={layer.words}>
              {layer.words}
            </span>
          </Link>
        </li>
      ))}
    </ul>
  );
}

function ofEntities(items: readonly EntitySummary[], all: string): Pick<Layer, 'state' | 'words'> {
  if (items.length === 0) return { state: 'unknown', words: 'nothing seen' };
  const sick = items.filter((item) => isTrouble(stateOfHealth(item.health.status)));
  const [first] = [...sick].sort((a) => (a.health.status === 'failing' ? -1 : 1));
  if (!first) return { state: 'ok', words: all };
  return {
    state: stateOfHealth(first.health.status),
    words: `${shortGpuName(first.name)}: ${first.health.reasons[0] ?? first.health.status}${sick.length > 1 ? ` and ${sick.length - 1} more` : ''}`,
  };
}

function ofServices(services: readonly ModelService[]): Pick<Layer, 'state' | 'words'> {
  if (services.length === 0) return { state: 'unknown', words: 'no model service seen' };
  const outside = services.filter((s) => s.isOutside).length;
  const slower = services.filter((s) => s.state === 'warning').length;
  const words =
    outside > 0
      ? `${outside} of ${services.length} outside objective`
      : slower > 0
        ? `${slower} of ${counted(services.length, 'model service')} ${slower === 1 ? 'needs' : 'need'} attention`
        : counted(services.length, 'model service');
  return { state: worstState(services.map((s) => s.state)), words };
}

function ofSources(
  telemetry: TelemetryResponse | undefined,
  cluster: string | undefined,
  now: number,
): Pick<Layer, 'state' | 'words'> {
  if (!telemetry) return { state: 'unknown', words: 'not known yet' };
  const sources = telemetry.sources.filter((s) => cluster === undefined || s.cluster === cluster);
  if (sources.length === 0) return { state: 'unknown', words: 'no source connected' };
  const bad = troubledSources(sources);
  const [first] = bad;
  if (!first) return { state: 'ok', words: `${counted(sources.length, 'source')} fresh` };
  const age = first.lastSeen === null ? '' : ` ${coarse((now - Date.parse(first.lastSeen)) / 1000)}`;
  return {
    state: lookOf(first).state,
    words: `${sourceName(first)} ${lookOf(first).word}${age}${bad.length > 1 ? ` and ${bad.length - 1} more` : ''}`,
  };
}
