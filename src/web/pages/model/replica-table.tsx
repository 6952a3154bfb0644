import { useQueries, useQuery } from '@tanstack/react-query';
import type { EntityDetail, EntitySummary } from '../../../api/contract/index.ts';
import { formatRef } from '../../../model/index.ts';
import { lastValue } from '../../charts/align.ts';
import { EntityChip } from '../../components/entity/entity-chip.tsx';
import { podOfContainer } from '../../components/entity/gpu-users.ts';
import layout from '../../components/layout.module.css';
import { Panel } from '../../components/panel.tsx';
import { stateOfHealth, worstState } from '../../components/state.ts';
import { StateMark } from '../../components/state-mark.tsx';
import { LoadingRows, Notice } from '../../components/states/notice.tsx';
import { numberColumn } from '../../components/table/columns.tsx';
import { type Column, Table } from '../../components/table/table.tsx';
import { useRange } from '../../page.ts';
import { entitiesQuery, signalQuery } from '../../queries.ts';
import { oddOnes } from './odd-ones.ts';

interface Replica {
  pod: EntitySummary;
  gpus: EntitySummary[];
  itl: number | undefined;
  ttft: number | undefined;
  waiting: number | undefined;
  running: number | undefined;
  kv: number | undefined;
  /** Of its slowest and hottest GPU. */
  clock: number | undefined;
  temperature: number | undefined;
}

/** The replicas of a model service side by side. The odd one stands out by weight. */
export function ReplicaTable({ entity }: { entity: EntityDetail }) {
  const range = useRange();
  const pods = entity.related.filter((e) => e.kind === 'pod');
  const cards = useQuery(entitiesQuery({ kind: 'gpu', cluster: entity.cluster })).data?.items ?? [];
  const recent = { ...range, from: Math.max(range.from, range.to - 300_000) };
  const own = (name: string, stat?: 'p95') =>
    signalQuery({ name, entity: entity.ref, by: 'pod' as const, stat }, recent);
  const cardsOwn = (name: string) => signalQuery({ name, entity: entity.ref, by: 'gpu' as const }, recent);
  const answers = useQueries({
    queries: [
      own('inference.itl', 'p95'),
      own('inference.ttft', 'p95'),
      own('inference.waiting'),
      own('inference.running'),
      own('inference.kv_usage'),
      cardsOwn('gpu.sm_clock'),
      cardsOwn('gpu.temperature'),
    ],
  });
  const newest = answers.map(
    (answer) => new Map((answer.data?.series ?? []).map((s) => [s.entity, lastValue(s.points)?.value])),
  );
  const [itl, ttft, waiting, running, kv, clock, temperature] = newest;
  const replicas = pods.map((pod): Replica => {
    const gpus = cards.filter((gpu) =>
      [gpu.facts.allocations].flat().some((ref) => typeof ref === 'string' && podOfContainer(ref) === pod.ref),
    );
    const of = (values: ReadonlyMap<string, number | undefined> | undefined, pick: (...all: number[]) => number) => {
      const known = gpus.map((gpu) => values?.get(gpu.ref)).filter((v): v is number => v !== undefined);
      return known.length === 0 ? undefined : pick(...known);
    };
    return {
      pod,
      gpus,
      itl: itl?.get(pod.ref),
      ttft: ttft?.get(pod.ref),
      waiting: waiting?.get(pod.ref),
      running: running?.get(pod.ref),
      kv: kv?.get(pod.ref),
      clock: of(clock, Math.min),
      temperature: of(temperature, Math.max),
    };
  });
  /** A number beside those of its siblings; the odd one is bold. */
  const number = (wanted: Omit<Parameters<typeof numberColumn<Replica>>[1], 'look'>) => {
    const odd = oddOnes(replicas.map((r) => wanted.pick(r) ?? undefined));
    return numberColumn(replicas, { ...wanted, look: (r) => odd.has(replicas.indexOf(r)) && layout.strong });
  };
  const columns: Column<Replica>[] = [
    {
      id: 'pod',
      head: 'Replica',
      width: 'minmax(160px, 1.6fr)',
      phone: 'title',
      value: (r) => r.pod.name,
      cell: (r) => (
        <>
          <StateMark
            state={worstState([
              stateOfHealth(r.pod.health.status),
              ...r.gpus.map((gpu) => stateOfHealth(gpu.health.status)),
            ])}
          />
          <EntityChip entity={r.pod} look="plain" isRowLink />
        </>
      ),
    },
    {
      id: 'node',
      head: 'Node',
      width: 'minmax(72px, 0.8fr)',
      value: (r) => String(r.pod.facts.node ?? ''),
      cell: (r) =>
        typeof r.pod.facts.node === 'string' ? (
          <EntityChip entity={formatRef('node', r.pod.cluster, '', r.pod.facts.node)} look="plain" />
        ) : (
          '–'
        ),
      from: 'medium',
    },
    {
      id: 'gpus',
      head: 'GPUs',
      width: 'minmax(214px, 1.6fr)',
      from: 'medium',
      cell: (r) =>
        r.gpus.length === 0 ? (
          <span className={layout.muted}>–</span>
        ) : (
          r.gpus.slice(0, 2).map((gpu) => <EntityChip key={gpu.ref} entity={gpu} look="plain" />)
        ),
    },
    number({
      id: 'itl',
      head: 'ITL p95',
      unit: 's',
      width: '88px',
      pick: (r) => r.itl,
      phone: 'show',
    }),
    number({
      id: 'ttft',
      head: 'TTFT p95',
      unit: 's',
      width: '88px',
      pick: (r) => r.ttft,
    }),
    number({
      id: 'waiting',
      head: 'waiting',
      unit: '',
      width: '64px',
      pick: (r) => r.waiting,
      phone: 'show',
    }),
    number({
      id: 'running',
      head: 'running',
      unit: '',
      width: '64px',
      pick: (r) => r.running,
      from: 'medium',
    }),
    number({
      id: 'kv',
      head: 'KV',
      unit: 'ratio',
      width: '64px',
      pick: (r) => r.kv,
    }),
    number({
      id: 'clock',
      head: 'SM clock',
      unit: 'MHz',
      width: '88px',
      pick: (r) => r.clock,
      hint: 'Of its slowest GPU',
      phone: 'show',
    }),
    number({
      id: 'temperature',
      head: 'temp',
      unit: 'celsius',
      width: '64px',
      pick: (r) => r.temperature,
      hint: 'Of its hottest GPU',
    }),
    {
      id: 'restarts',
      head: 'restarts',
      width: '64px',
      align: 'right',
      value: (r) => Number(r.pod.facts.restarts ?? 0),
      cell: (r) => String(r.pod.facts.restarts ?? '–'),
      from: 'wide',
    },
  ];
  return (
    <Panel title="Replicas" note="newest values; what differs from its siblings is bold" flush>
      {replicas.length > 0 ? (
        <Table
          label="Replicas"
          columns={columns}
          rows={replicas}
          rowKey={(r) => r.pod.ref}
          initialSort={{ column: 'itl', descending: true }}
        />
      ) : answers.some((answer) => answer.isPending) ? (
        <LoadingRows rows={3} />
      ) : (
        <Notice
          state="unknown"
          title="No replica is known"
          why="Pods are learnt from Kubernetes."
          fix="Connect the cluster in trifocal.yaml."
        />
      )}
    </Panel>
  );
}
