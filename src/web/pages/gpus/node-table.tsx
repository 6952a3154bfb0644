import { useQueries } from '@tanstack/react-query';
import type { EntitySummary } from '../../../api/contract/index.ts';
import { formatRef } from '../../../model/index.ts';
import { EntityChip } from '../../components/entity/entity-chip.tsx';
import layout from '../../components/layout.module.css';
import { isTrouble, rankOfState, stateOfHealth } from '../../components/state.ts';
import { StateMark } from '../../components/state-mark.tsx';
import { Notice } from '../../components/states/notice.tsx';
import { clusterColumn, numberColumn } from '../../components/table/columns.tsx';
import { type Column, Table } from '../../components/table/table.tsx';
import { WhyButton } from '../../components/why-button.tsx';
import { ABSENT } from '../../format/index.ts';
import { useClusters, useRange } from '../../page.ts';
import { signalQuery } from '../../queries.ts';
import { freshValue } from '../models/use-model-services.ts';

interface Row {
  node: EntitySummary;
  cpu: number | undefined;
  memory: number | undefined;
  pressure: number | undefined;
}

const ASKED = ['node.cpu.usage', 'node.memory.available', 'node.cpu.pressure'] as const;

export function NodeTable({ nodes, showCluster }: { nodes: readonly EntitySummary[]; showCluster: boolean }) {
  const range = useRange();
  const clusters = useClusters();
  const recent = { ...range, from: Math.max(range.from, range.to - 600_000) };
  const asks = clusters.flatMap((name) =>
    ASKED.map((signal) => ({ name: signal, entity: formatRef('cluster', name, '', name), by: 'node' as const })),
  );
  const answers = useQueries({ queries: asks.map((ask) => signalQuery(ask, recent)) });
  const newest = (signal: string, ref: string) => {
    const series = asks
      .flatMap((ask, i) => (ask.name === signal ? (answers[i]?.data?.series ?? []) : []))
      .find((s) => s.entity === ref);
    return freshValue(series?.points ?? [], recent);
  };
  const rows = nodes.map(
    (node): Row => ({
      node,
      cpu: newest('node.cpu.usage', node.ref),
      memory: newest('node.memory.available', node.ref),
      pressure: newest('node.cpu.pressure', node.ref),
    }),
  );
  const columns: Column<Row>[] = [
    {
      id: 'name',
      head: 'Node',
      width: 'minmax(150px, 1.2fr)',
      phone: 'title',
      value: (r) => r.node.name,
      cell: (r) => (
        <>
          <StateMark state={stateOfHealth(r.node.health.status)} />
          <EntityChip entity={r.node} look="plain" isRowLink />
          {isTrouble(stateOfHealth(r.node.health.status)) ? <WhyButton subject={r.node.ref} /> : null}
        </>
      ),
    },
    ...clusterColumn<Row>(showCluster, (r) => r.node.cluster, { width: 'minmax(72px, 0.7fr)', phone: 'show' }),
    {
      id: 'gpus',
      head: 'GPUs',
      width: '72px',
      align: 'right',
      hint: 'Requested of those it has',
      value: (r) => Number(r.node.facts.gpus ?? 0),
      cell: (r) =>
        Number(r.node.facts.gpus ?? 0) === 0 ? (
          <span className={layout.muted}>{ABSENT}</span>
        ) : (
          `${String(r.node.facts.gpusRequested ?? ABSENT)} / ${String(r.node.facts.gpus)}`
        ),
    },
    {
      id: 'model',
      head: 'GPU type',
      width: 'minmax(120px, 1.2fr)',
      from: 'medium',
      value: (r) => String(r.node.facts.gpuModel ?? ''),
      cell: (r) => <span className={layout.secondary}>{String(r.node.facts.gpuModel ?? ABSENT)}</span>,
    },
    {
      id: 'pods',
      head: 'pods',
      width: '48px',
      align: 'right',
      from: 'medium',
      value: (r) => Number(r.node.facts.pods ?? 0),
      cell: (r) => String(r.node.facts.pods ?? ABSENT),
    },
    numberColumn(rows, {
      id: 'cpu',
      head: 'CPU used',
      unit: 'ratio',
      width: '108px',
      pick: (r) => r.cpu,
      phone: 'show',
    }),
    numberColumn(rows, {
      id: 'memory',
      head: 'memory free',
      unit: 'ratio',
      width: '116px',
      pick: (r) => r.memory,
      phone: 'show',
    }),
    numberColumn(rows, {
      id: 'pressure',
      head: 'CPU pressure',
      unit: 'ratio',
      width: '116px',
      pick: (r) => r.pressure,
      from: 'medium',
      hint: 'Share of time in which some task waited for CPU',
    }),
    {
      id: 'state',
      head: 'State',
      width: 'minmax(140px, 1.6fr)',
      from: 'medium',
      value: (r) => rankOfState(stateOfHealth(r.node.health.status)),
      cell: (r) => (
        <span title={r.node.health.reasons.join('\n')}>
          {[r.node.facts.unschedulable === true ? 'cordoned' : '', r.node.health.reasons[0] ?? '']
            .filter(Boolean)
            .join(', ') || <span className={layout.muted}>{r.node.health.status}</span>}
        </span>
      ),
    },
  ];
  return (
    <Table
      label="Nodes"
      columns={columns}
      rows={rows}
      rowKey={(r) => r.node.ref}
      initialSort={{ column: 'state', descending: false }}
      empty={
        <Notice
          state="unknown"
          title="No node to show"
          why="Nodes come from Kubernetes or node_exporter."
          fix="Clear the filter, or connect a cluster."
        />
      }
    />
  );
}
