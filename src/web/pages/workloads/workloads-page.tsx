import { useQueries, useQuery } from '@tanstack/react-query';
import type { EntitySummary } from '../../../api/contract/index.ts';
import { formatRef } from '../../../model/index.ts';
import { lastValue, type Points } from '../../charts/align.ts';
import { EntityChip } from '../../components/entity/entity-chip.tsx';
import { FilterInput } from '../../components/filter-input.tsx';
import layout from '../../components/layout.module.css';
import { type KeyNumber, Numbers } from '../../components/numbers.tsx';
import { PageHead, type Sentence } from '../../components/page-head.tsx';
import { Panel } from '../../components/panel.tsx';
import { isTrouble, rankOfState, type State, stateOfHealth, worstState } from '../../components/state.ts';
import { StateMark } from '../../components/state-mark.tsx';
import { Failure, LoadingRows, Notice } from '../../components/states/notice.tsx';
import { clusterColumn, numberColumn } from '../../components/table/columns.tsx';
import { type Column, Table } from '../../components/table/table.tsx';
import { WhyButton } from '../../components/why-button.tsx';
import { ABSENT, counted } from '../../format/index.ts';
import { useClusters, usePageSearch, useRange } from '../../page.ts';
import { changesQuery, entitiesQuery, signalQuery } from '../../queries.ts';

interface Row {
  entity: EntitySummary;
  state: State;
  restarts: number | undefined;
  throttled: number | undefined;
  memory: number | undefined;
}

/** Which rollouts, restarts, unschedulable pods? */
export function Page() {
  const range = useRange();
  const clusters = useClusters();
  const { cluster, q } = usePageSearch();
  const { data, error, refetch } = useQuery(entitiesQuery({ kind: 'workload', cluster }));
  const changes = useQuery(changesQuery({ cluster }, range)).data;
  const of = useByWorkload(clusters);
  const rows = (data?.items ?? []).map(
    (entity): Row => ({
      entity,
      state: stateOfHealth(entity.health.status),
      restarts: of('container.restarts', entity.ref, grownBy),
      throttled: of('container.cpu.throttled_ratio', entity.ref, newest),
      memory: of('container.memory.working_set', entity.ref, newest),
    }),
  );
  const shown = rows.filter(({ entity }) => matches(entity, q ?? ''));
  const { state, answer } = answerOf(rows, data === undefined);
  return (
    <>
      <PageHead
        state={state}
        answer={answer}
        numbers={
          <Numbers
            items={numbersOf(rows, changes?.filter((c) => ['rollout', 'image', 'template'].includes(c.kind)).length)}
          />
        }
      />
      {error && !data ? <Failure error={error} what="Workloads" onRetry={() => void refetch()} /> : null}
      <Panel
        title="Workloads"
        note={
          data
            ? `${shown.length} of ${rows.length}${data.next === null ? '' : ', the first of more: choose a cluster'}`
            : undefined
        }
        actions={<FilterInput placeholder="Filter by name, namespace, image" />}
        flush
      >
        {data === undefined ? (
          <LoadingRows rows={10} />
        ) : (
          <Table
            label="Workloads"
            columns={columnsOf(shown, clusters.length > 1)}
            rows={shown}
            rowKey={(r) => r.entity.ref}
            initialSort={{ column: 'state', descending: false }}
            empty={
              rows.length === 0 ? (
                <Notice
                  state="unknown"
                  title="No workload is known"
                  why="Workloads come from Kubernetes, from k8sobjects logs or from kube-state-metrics."
                  fix="Name the cluster in trifocal.yaml."
                />
              ) : (
                <Notice
                  state="unknown"
                  title={`No workload matches “${q}”`}
                  fix="Clear the filter, or choose all clusters."
                />
              )
            }
          />
        )}
      </Panel>
    </>
  );
}

function columnsOf(rows: readonly Row[], showCluster: boolean): Column<Row>[] {
  return [
    {
      id: 'name',
      head: 'Workload',
      width: 'minmax(180px, 1.6fr)',
      phone: 'title',
      value: (r) => r.entity.name,
      cell: (r) => (
        <>
          <StateMark state={r.state} />
          <EntityChip entity={r.entity} look="plain" isRowLink />
          {isTrouble(r.state) ? <WhyButton subject={r.entity.ref} /> : null}
        </>
      ),
    },
    {
      id: 'namespace',
      head: 'Namespace',
      width: 'minmax(88px, 0.7fr)',
      phone: 'show',
      value: (r) => r.entity.namespace,
      cell: (r) => <span className={layout.secondary}>{r.entity.namespace}</span>,
    },
    ...clusterColumn<Row>(showCluster, (r) => r.entity.cluster, { from: 'medium' }),
    {
      id: 'kind',
      head: 'Controller',
      width: '96px',
      from: 'medium',
      value: (r) => String(r.entity.facts.workloadKind ?? ''),
      cell: (r) => <span className={layout.secondary}>{String(r.entity.facts.workloadKind ?? ABSENT)}</span>,
    },
    {
      id: 'ready',
      head: 'Ready',
      width: '60px',
      align: 'right',
      phone: 'show',
      value: (r) => missing(r.entity),
      cell: (r) => (
        <span
          className={missing(r.entity) > 0 ? layout.strong : ''}
        >{`${String(r.entity.facts.ready ?? ABSENT)} / ${String(r.entity.facts.desired ?? ABSENT)}`}</span>
      ),
    },
    numberColumn(rows, {
      id: 'restarts',
      head: 'restarts',
      unit: '',
      width: '64px',
      pick: (r) => r.restarts,
      look: (r) => (r.restarts ?? 0) > 0 && layout.strong,
      hint: 'Container restarts in the shown range',
    }),
    numberColumn(rows, {
      id: 'throttled',
      head: 'CPU throttled',
      unit: 'ratio',
      width: '112px',
      pick: (r) => r.throttled,
      from: 'wide',
    }),
    numberColumn(rows, {
      id: 'memory',
      head: 'memory',
      unit: 'bytes',
      width: '92px',
      pick: (r) => r.memory,
      from: 'wide',
    }),
    {
      id: 'state',
      head: 'State',
      width: 'minmax(140px, 2fr)',
      from: 'medium',
      value: (r) => rankOfState(r.state),
      cell: (r) => (
        <span className={layout.clip} title={r.entity.health.reasons.join('\n')}>
          {r.entity.health.reasons[0] ?? <span className={layout.muted}>{r.entity.health.status}</span>}
        </span>
      ),
    },
  ];
}

const ASKED = ['container.restarts', 'container.cpu.throttled_ratio', 'container.memory.working_set'] as const;

function useByWorkload(clusters: readonly string[]) {
  const range = useRange();
  const asks = clusters.flatMap((name) =>
    ASKED.map((signal) => ({ name: signal, entity: formatRef('cluster', name, '', name), by: 'workload' as const })),
  );
  const answers = useQueries({ queries: asks.map((ask) => signalQuery(ask, range)) });
  return (signal: string, ref: string, read: (points: Points) => number | undefined) => {
    for (const [i, ask] of asks.entries()) {
      if (ask.name !== signal) continue;
      const found = answers[i]?.data?.series.find((s) => s.entity === ref);
      if (found) return read(found.points);
    }
    return undefined;
  };
}

function newest(points: Points): number | undefined {
  return lastValue(points)?.value;
}

/** How much a count grew over the range; a fall means that pods were replaced, and starts anew. */
function grownBy(points: Points): number | undefined {
  const values = points.map(([, v]) => v).filter((v): v is number => v !== null);
  if (values.length === 0) return undefined;
  return values.reduce((sum, value, i) => sum + Math.max(0, i === 0 ? 0 : value - (values[i - 1] ?? 0)), 0);
}

function missing({ facts }: EntitySummary): number {
  return Number(facts.desired ?? 0) - Number(facts.ready ?? 0);
}

function answerOf(rows: readonly Row[], isLoading: boolean): { state: State; answer: Sentence } {
  if (isLoading) return { state: 'unknown', answer: ['Looking at the workloads …'] };
  if (rows.length === 0) return { state: 'unknown', answer: ['No workload is known here yet.'] };
  const sick = rows.filter((r) => isTrouble(r.state)).sort((a, b) => rankOfState(a.state) - rankOfState(b.state));
  const [first] = sick;
  if (!first)
    return {
      state: worstState(['ok']),
      answer: [`All ${counted(rows.length, 'workload')} are ready, and none is restarting or rolling out.`],
    };
  return {
    state: first.state,
    answer: [
      `${sick.length} of ${counted(rows.length, 'workload')} ${sick.length === 1 ? 'needs' : 'need'} attention: `,
      { entity: first.entity },
      ` ${first.entity.health.reasons[0] ?? first.entity.health.status}.`,
    ],
  };
}

function numbersOf(rows: readonly Row[], rollouts: number | undefined): KeyNumber[] {
  const desired = rows.reduce((sum, { entity }) => sum + Number(entity.facts.desired ?? 0), 0);
  const lacking = rows.reduce((sum, { entity }) => sum + Math.max(0, missing(entity)), 0);
  const restarts = rows.map((r) => r.restarts).filter((v): v is number => v !== undefined);
  return [
    {
      text: rows.length === 0 ? ABSENT : `${lacking} / ${desired}`,
      label: 'replicas not ready',
      state: lacking > 0 ? 'warning' : undefined,
    },
    {
      text: restarts.length === 0 ? ABSENT : String(restarts.reduce((a, b) => a + b, 0)),
      label: 'container restarts in range',
    },
    { text: rollouts === undefined ? ABSENT : String(rollouts), label: 'rollouts in range' },
  ];
}

function matches(entity: EntitySummary, q: string): boolean {
  const text = [
    entity.name,
    entity.namespace,
    entity.cluster,
    entity.facts.workloadKind,
    entity.facts.images,
    entity.facts.engine,
  ]
    .flat()
    .join(' ')
    .toLowerCase();
  return q
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
