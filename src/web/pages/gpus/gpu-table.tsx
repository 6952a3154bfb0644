import { formatRef } from '../../../model/index.ts';
import { EntityChip } from '../../components/entity/entity-chip.tsx';
import layout from '../../components/layout.module.css';
import { rankOfState } from '../../components/state.ts';
import { StateMark } from '../../components/state-mark.tsx';
import { Notice } from '../../components/states/notice.tsx';
import { clusterColumn, numberColumn } from '../../components/table/columns.tsx';
import { type Column, Table } from '../../components/table/table.tsx';
import { ABSENT } from '../../format/index.ts';
import type { Gpu } from './use-gpus.ts';

interface Props {
  gpus: readonly Gpu[];
  showCluster: boolean;
  selected: string | undefined;
  onSelect: (gpu: Gpu) => void;
}

export function GpuTable({ gpus, showCluster, selected, onSelect }: Props) {
  const columns: Column<Gpu>[] = [
    {
      id: 'gpu',
      head: 'GPU',
      width: 'minmax(120px, 0.8fr)',
      phone: 'title',
      value: (gpu) => gpu.entity.name,
      cell: (gpu) => (
        <>
          <StateMark state={gpu.state} />
          <EntityChip entity={gpu.entity} look="plain" isRowLink />
        </>
      ),
    },
    ...clusterColumn<Gpu>(showCluster, (gpu) => gpu.entity.cluster, { width: 'minmax(64px, 0.5fr)', from: 'wide' }),
    {
      id: 'node',
      head: 'Node',
      width: 'minmax(64px, 0.5fr)',
      phone: 'show',
      value: (gpu) => gpu.node,
      cell: (gpu) => <EntityChip entity={formatRef('node', gpu.entity.cluster, '', gpu.node)} look="plain" />,
    },
    {
      id: 'users',
      head: 'Used by',
      width: 'minmax(110px, 1.2fr)',
      from: 'medium',
      value: (gpu) => gpu.users[0] ?? null,
      cell: (gpu) =>
        gpu.users.length === 0 ? (
          <span className={layout.muted}>free</span>
        ) : (
          gpu.users.map((ref) => <EntityChip key={ref} entity={ref} look="plain" />)
        ),
    },
    numberColumn(gpus, {
      id: 'sm',
      head: 'SM act',
      unit: 'ratio',
      width: '72px',
      pick: (gpu) => gpu.smActive,
      phone: 'show',
      hint: 'Share of cycles with work on a streaming multiprocessor',
    }),
    numberColumn(gpus, {
      id: 'tensor',
      head: 'tensor',
      unit: 'ratio',
      width: '72px',
      pick: (gpu) => gpu.tensor,
      from: 'wide',
      hint: 'Share of cycles in which tensor cores were active',
    }),
    numberColumn(gpus, {
      id: 'memory',
      head: 'memory',
      unit: 'bytes',
      width: '88px',
      pick: (gpu) => gpu.memory,
      hint: 'Used frame buffer',
    }),
    numberColumn(gpus, {
      id: 'clock',
      head: 'SM clock',
      unit: 'MHz',
      width: '96px',
      pick: (gpu) => gpu.clock,
      phone: 'show',
    }),
    numberColumn(gpus, {
      id: 'temperature',
      head: 'temp',
      unit: '°C',
      width: '64px',
      pick: (gpu) => gpu.temperature,
      phone: 'show',
    }),
    numberColumn(gpus, {
      id: 'power',
      head: 'power',
      unit: 'W',
      width: '72px',
      pick: (gpu) => gpu.power,
      from: 'medium',
    }),
    {
      id: 'state',
      head: 'State',
      width: 'minmax(120px, 1.4fr)',
      from: 'medium',
      value: (gpu) => rankOfState(gpu.state),
      cell: (gpu) => (
        <span className={gpu.kind === 'well' ? layout.muted : ''} title={gpu.words}>
          {gpu.kind === 'well' ? 'ok' : gpu.words.replace(/^(is|needs attention:) /, '')}
        </span>
      ),
    },
  ];
  return (
    <Table
      label="GPUs"
      columns={columns}
      rows={gpus}
      rowKey={(gpu) => gpu.entity.ref}
      selectedKey={selected}
      onSelect={onSelect}
      empty={<Notice state="unknown" title={`No GPU matches ${ABSENT} clear the filter`} />}
    />
  );
}
