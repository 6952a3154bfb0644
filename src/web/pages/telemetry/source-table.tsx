import { protocolWords } from '../../../model/index.ts';
import type { Points } from '../../charts/align.ts';
import { Sparkline } from '../../charts/sparkline.tsx';
import layout from '../../components/layout.module.css';
import { Moment } from '../../components/moment.tsx';
import { StateMark } from '../../components/state-mark.tsx';
import { Notice } from '../../components/states/notice.tsx';
import { clusterColumn, numberColumn } from '../../components/table/columns.tsx';
import { RowButton } from '../../components/table/row-button.tsx';
import { type Column, Table } from '../../components/table/table.tsx';
import {
  hasLeft,
  lookOf,
  type Source,
  sourceKey,
  sourceName,
  troubledSources,
} from '../../components/telemetry/source-state.ts';
import { coarse } from '../../format/index.ts';
import { useNow } from '../../page.ts';

/** Every target of a scrape is a source: the page must not be all of them. */
const FOLD = 20;
/** Of the usual minute. */
const PEAK = 4;

interface Props {
  sources: readonly Source[];
  showCluster: boolean;
  selected: string | undefined;
  onSelect: (source: Source) => void;
  empty: React.ReactNode;
}

/** Everyone who sends, those that need attention on top. */
export function SourceTable({ sources, showCluster, selected, onSelect, empty }: Props) {
  const now = useNow();
  const bad = troubledSources(sources);
  const rest = sources.filter((source) => !bad.includes(source)).sort((a, b) => lookOf(a).rank - lookOf(b).rank);
  const rows = [...bad, ...rest];
  const columns: Column<Source>[] = [
    {
      id: 'state',
      head: 'State',
      width: '104px',
      phone: 'show',
      value: (s) => lookOf(s).rank,
      cell: (s) => <StateMark state={lookOf(s).state} label={stateLabel(s, now)} />,
    },
    {
      id: 'name',
      head: 'Source',
      width: 'minmax(180px, 2.4fr)',
      phone: 'title',
      value: sourceName,
      cell: (s) => (
        <RowButton label={sourceName(s)} onSelect={() => onSelect(s)}>
          <span className={layout.secondary}>{protocolWords(s.kind)}</span> {s.name}
        </RowButton>
      ),
    },
    ...clusterColumn<Source>(showCluster, (s) => s.cluster, { width: 'minmax(72px, 0.7fr)', phone: 'show' }),
    {
      id: 'seen',
      head: 'Last seen',
      width: '84px',
      align: 'right',
      phone: 'show',
      value: (s) => (s.lastSeen === null ? null : -Date.parse(s.lastSeen)),
      cell: (s) =>
        s.lastSeen === null ? <span className={layout.muted}>never</span> : <Moment at={s.lastSeen} as="ago" />,
    },
    numberColumn(sources, {
      id: 'rate',
      head: 'per second',
      unit: '',
      width: '84px',
      pick: (s) => s.perSecond,
      hint: 'Signals per second over the last minute',
    }),
    {
      id: 'spark',
      head: 'last hour',
      width: '128px',
      from: 'medium',
      hint: 'Signals in each minute of the last hour',
      cell: (s) => (
        <Sparkline
          points={withoutPeaks(minutePoints(s.perMinute, now))}
          range={{ from: now - 3_600_000, to: now, step: 60 }}
          isTrouble={lookOf(s).state === 'critical'}
          label={`${sourceName(s)}: signals per minute in the last hour`}
        />
      ),
    },
    numberColumn(sources, {
      id: 'lag',
      head: 'lag',
      unit: 's',
      width: '72px',
      from: 'medium',
      pick: (s) => s.lagSeconds,
      look: (s) => s.state === 'lagging' && layout.strong,
      hint: 'How old the newest signal was when it arrived',
    }),
    numberColumn(sources, {
      id: 'gaps',
      head: 'gaps',
      unit: '',
      width: '48px',
      from: 'wide',
      pick: (s) => s.gaps,
      look: (s) => s.gaps > 0 && layout.strong,
      hint: 'Pauses that were far longer than usual',
    }),
    numberColumn(sources, {
      id: 'dropped',
      head: 'dropped',
      unit: '',
      width: '72px',
      from: 'wide',
      pick: (s) => s.dropped,
      look: (s) => s.dropped > 0 && layout.strong,
      hint: 'Signals of it that were not stored, since the server started',
    }),
  ];
  return (
    <Table
      label="Sources"
      columns={columns}
      rows={rows}
      rowKey={sourceKey}
      selectedKey={selected}
      onSelect={onSelect}
      empty={empty}
      fold={FOLD}
    />
  );
}

/** Nothing arrived yet, or nothing of this cluster. */
export function NoSources({ cluster, q }: { cluster: string | undefined; q: string }) {
  if (q !== '') return <Notice state="unknown" title={`No source matches “${q}”`} fix="Clear the filter." />;
  return (
    <Notice
      state="unknown"
      title={cluster === undefined ? 'Nothing has arrived yet' : `Nothing has arrived from ${cluster} yet`}
      why="No receiver has seen anything, and no cluster is being watched or scraped."
      fix="Send OTLP to port 4318, remote write to /prometheus/api/v1/write, or name a cluster in trifocal.yaml."
    />
  );
}

function stateLabel(source: Source, now: number): string {
  const { word } = lookOf(source);
  if (source.state !== 'silent' || source.lastSeen === null || hasLeft(source)) return word;
  return `${word} ${coarse(Math.max(0, now - Date.parse(source.lastSeen)) / 1000)}`;
}

/**
 * As points in epoch seconds. The running minute is left out, since it would always look like a fall; so is the time before
 * the first signal, since nobody listened then.
 */
export function minutePoints(perMinute: readonly number[], now: number): Points {
  const last = Math.floor(now / 60_000) * 60;
  const first = perMinute.findIndex((count) => count > 0);
  return perMinute
    .map((count, i): [number, number] => [last - (perMinute.length - 1 - i) * 60, count])
    .slice(first < 0 ? perMinute.length : first, -1);
}

/** Catching up after a pause brings an hour in a minute, beside which every other minute would look empty: such a peak is cut. */
export function withoutPeaks(points: Points): Points {
  const sent = points.flatMap(([, value]) => (value === null || value === 0 ? [] : [value])).sort((a, b) => a - b);
  const top = (sent[Math.floor((sent.length - 1) / 2)] ?? 0) * PEAK;
  return points.map(([t, value]): [number, number | null] => [t, value === null ? null : Math.min(value, top)]);
}
