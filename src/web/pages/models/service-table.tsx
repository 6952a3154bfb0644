import { DEFAULT_TTFT_OBJECTIVE } from '../../../model/index.ts';
import { Sparkline } from '../../charts/sparkline.tsx';
import { EntityChip } from '../../components/entity/entity-chip.tsx';
import layout from '../../components/layout.module.css';
import { isTrouble } from '../../components/state.ts';
import { StateMark } from '../../components/state-mark.tsx';
import { clusterColumn, numberColumn } from '../../components/table/columns.tsx';
import { type Column, Table } from '../../components/table/table.tsx';
import { WhyButton } from '../../components/why-button.tsx';
import { columnOf, columnUnit, counted, formatValue } from '../../format/index.ts';
import { useRange } from '../../page.ts';
import type { ModelService } from './use-model-services.ts';

interface Props {
  services: readonly ModelService[];
  /** Milliseconds at which something changed, by entity. */
  changes?: ReadonlyMap<string, readonly number[]>;
  showCluster: boolean;
}

/** Model services with their distance from the objective, worst first. */
export function ServiceTable({ services, changes, showCluster }: Props) {
  const range = useRange();
  const seconds = columnOf(
    services.flatMap((s) => [s.ttftNow, DEFAULT_TTFT_OBJECTIVE]),
    's',
  );
  const columns: Column<ModelService>[] = [
    {
      id: 'name',
      head: 'Service',
      width: 'minmax(180px, 2fr)',
      phone: 'title',
      value: (s) => s.entity.name,
      cell: (s) => (
        <>
          <StateMark state={s.state} />
          <EntityChip entity={s.entity} look="plain" isRowLink />
          {isTrouble(s.state) ? <WhyButton subject={s.entity.ref} /> : null}
        </>
      ),
    },
    ...clusterColumn<ModelService>(showCluster, (s) => s.entity.cluster, {
      width: 'minmax(72px, 110px)',
      from: 'medium',
    }),
    {
      id: 'replicas',
      head: 'Ready',
      width: '56px',
      align: 'right',
      hint: 'Replicas ready of wanted',
      value: (s) => fact(s, 'ready') ?? null,
      cell: (s) => `${fact(s, 'ready') ?? '–'} / ${fact(s, 'desired') ?? '–'}`,
    },
    {
      id: 'ttft',
      head: 'TTFT p95',
      unit: columnUnit(seconds),
      width: '88px',
      align: 'right',
      phone: 'show',
      hint: 'Time to the first token, 95th percentile, newest',
      value: (s) => s.ttftNow,
      cell: (s) => (
        <span className={s.word === 'slow' ? `${layout.strong} ${layout.critical}` : ''}>
          {formatValue(s.ttftNow, 's', { column: seconds })}
        </span>
      ),
    },
    {
      id: 'objective',
      head: 'obj',
      width: '44px',
      align: 'right',
      from: 'medium',
      hint: `Default objective of ${DEFAULT_TTFT_OBJECTIVE} s, until SLOs are declared`,
      cell: () => <span className={layout.muted}>{formatValue(DEFAULT_TTFT_OBJECTIVE, 's', { column: seconds })}</span>,
    },
    numberColumn(services, {
      id: 'itl',
      head: 'ITL p95',
      unit: 's',
      width: '88px',
      pick: (s) => s.itlNow,
      hint: 'Time between two output tokens, 95th percentile',
    }),
    numberColumn(services, {
      id: 'tokens',
      head: 'tok/s',
      unit: '',
      width: '72px',
      pick: (s) => (s.tokens === undefined ? undefined : Math.round(s.tokens)),
      hint: 'Output tokens per second',
      phone: 'show',
    }),
    numberColumn(services, {
      id: 'waiting',
      head: 'waiting',
      unit: '',
      width: '64px',
      pick: (s) => s.waiting,
      hint: 'Requests in the queue',
      phone: 'show',
    }),
    numberColumn(services, {
      id: 'errors',
      head: 'err',
      unit: 'ratio',
      width: '64px',
      pick: errorShare,
      hint: 'Share of requests that failed',
      from: 'medium',
    }),
    numberColumn(services, {
      id: 'gpus',
      head: 'GPUs',
      unit: '',
      width: '56px',
      pick: (s) => fact(s, 'gpus'),
      hint: 'GPUs allocated',
      from: 'wide',
    }),
    {
      id: 'spark',
      head: 'TTFT p95 in range',
      width: '128px',
      from: 'medium',
      cell: (s) => (
        <Sparkline
          points={s.ttft}
          range={range}
          markers={changes?.get(s.entity.ref) ?? []}
          threshold={DEFAULT_TTFT_OBJECTIVE}
          isTrouble={s.isOutside}
          label={`TTFT p95 of ${s.entity.name}, last ${formatValue(s.ttftNow, 's')}`}
        />
      ),
    },
  ];
  return <Table label="Model services" columns={columns} rows={services} rowKey={(s) => s.entity.ref} />;
}

/** `vLLM 0.11.0 · 3 replicas · 6 GPUs`, as far as it is known. */
export function aboutService(facts: Readonly<Record<string, unknown>>): string {
  const engines: Record<string, string> = { vllm: 'vLLM', sglang: 'SGLang', tgi: 'TGI', triton: 'Triton' };
  const engine = String(facts.engine ?? '');
  const version = typeof facts.engineVersion === 'string' ? ` ${facts.engineVersion}` : '';
  return [
    engine === '' ? '' : `${engines[engine] ?? engine}${version}`,
    typeof facts.desired === 'number' ? counted(facts.desired, 'replica') : '',
    typeof facts.gpus === 'number' ? counted(facts.gpus, 'GPU') : '',
  ]
    .filter(Boolean)
    .join(' · ');
}

function errorShare(service: ModelService): number | undefined {
  if (service.errors === undefined || service.requests === undefined) return undefined;
  const all = service.errors + service.requests;
  return all === 0 ? undefined : service.errors / all;
}

function fact(service: ModelService, name: string): number | undefined {
  const value = service.entity.facts[name];
  return typeof value === 'number' ? value : undefined;
}
