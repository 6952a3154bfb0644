import { useQuery } from '@tanstack/react-query';
import type { EntitySummary } from '../../../api/contract/index.ts';
import { FilterInput } from '../../components/filter-input.tsx';
import layout from '../../components/layout.module.css';
import { type KeyNumber, Numbers } from '../../components/numbers.tsx';
import { PageHead, type Sentence } from '../../components/page-head.tsx';
import { Panel } from '../../components/panel.tsx';
import { type State, worstState } from '../../components/state.ts';
import { Failure, LoadingRows, Notice } from '../../components/states/notice.tsx';
import { type Tab, Tabs, useChosenTab } from '../../components/tabs.tsx';
import { ABSENT, counted } from '../../format/index.ts';
import { useClusters, usePageSearch, useSetSearch } from '../../page.ts';
import { entitiesQuery } from '../../queries.ts';
import { FleetGrid } from './fleet-grid.tsx';
import { GpuPeek } from './gpu-peek.tsx';
import { GpuTable } from './gpu-table.tsx';
import { NodeTable } from './node-table.tsx';
import { type Gpu, useGpus } from './use-gpus.ts';

/** Are GPUs allocated, busy and useful; which are sick? */
export function Page() {
  const clusters = useClusters();
  const { q, sel, cluster } = usePageSearch();
  const setSearch = useSetSearch();
  const { gpus, nodes, isLoading, error } = useGpus();
  const pods = useQuery(entitiesQuery({ kind: 'pod', cluster })).data?.items;
  const waiting = pods?.filter(
    (pod) => pod.facts.phase === 'Pending' && Number(pod.facts.gpus ?? 0) > 0 && !pod.facts.node,
  );
  const tabs: Tab[] = [
    { id: 'gpus', label: 'GPUs', count: gpus.length },
    { id: 'nodes', label: 'Nodes', count: nodes.length },
  ];
  const tab = useChosenTab(tabs);
  const shown = gpus.filter((gpu) =>
    matches([gpu.entity.name, gpu.node, gpu.entity.cluster, gpu.entity.facts.model, gpu.words, ...gpu.users], q ?? ''),
  );
  const shownNodes = nodes.filter((node) =>
    matches([node.name, node.cluster, node.facts.gpuModel, node.health.status, ...node.health.reasons], q ?? ''),
  );
  const selected = gpus.find((gpu) => gpu.entity.ref === sel) ?? undefined;
  const { state, answer } = isLoading
    ? { state: 'unknown' as const, answer: ['Looking at nodes and GPUs …'] }
    : answerOf(gpus, nodes, waiting?.length ?? 0);
  return (
    <>
      <PageHead state={state} answer={answer} numbers={<Numbers items={numbersOf(gpus, waiting)} />} />
      <Tabs tabs={tabs} />
      {error ? <Failure error={error} what="Nodes and GPUs" /> : null}
      {tab === 'gpus' ? (
        <div className={selected ? layout.side : layout.stack}>
          <div className={layout.stack}>
            {gpus.length > 0 ? (
              <FleetGrid
                gpus={shown}
                nodes={nodes}
                showCluster={clusters.length > 1}
                selected={selected?.entity.ref}
                onSelect={(gpu) => setSearch({ sel: gpu.entity.ref === sel ? undefined : gpu.entity.ref })}
              />
            ) : null}
            <Panel
              title="GPUs"
              note={isLoading ? undefined : `${shown.length} of ${gpus.length}`}
              actions={<FilterInput placeholder="Filter by GPU, node, model, pod" />}
              flush
            >
              {isLoading ? (
                <LoadingRows rows={8} />
              ) : gpus.length === 0 ? (
                <Notice
                  state="unknown"
                  title="No GPU is known"
                  why="GPUs come from dcgm-exporter's series, with their pods from Kubernetes."
                  fix="Scrape dcgm-exporter, or send its series by remote write."
                />
              ) : (
                <GpuTable
                  gpus={shown}
                  showCluster={clusters.length > 1}
                  selected={sel}
                  onSelect={(gpu) => setSearch({ sel: gpu.entity.ref }, 'replace')}
                />
              )}
            </Panel>
          </div>
          {selected ? <GpuPeek gpu={selected} onClose={() => setSearch({ sel: undefined })} /> : null}
        </div>
      ) : (
        <Panel
          title="Nodes"
          note={`${shownNodes.length} of ${nodes.length}`}
          actions={<FilterInput placeholder="Filter by node, GPU type, state" />}
          flush
        >
          {isLoading ? <LoadingRows rows={8} /> : <NodeTable nodes={shownNodes} showCluster={clusters.length > 1} />}
        </Panel>
      )}
    </>
  );
}

function answerOf(
  gpus: readonly Gpu[],
  nodes: readonly EntitySummary[],
  waiting: number,
): { state: State; answer: Sentence } {
  const queue = waiting > 0 ? ` ${counted(waiting, 'pod')} ${waiting === 1 ? 'waits' : 'wait'} for a GPU.` : '';
  const sickNodes = nodes.filter((node) => node.health.status === 'failing' || node.health.status === 'degraded');
  if (gpus.length === 0 && nodes.length === 0)
    return { state: 'unknown', answer: ['No node and no GPU is known here yet.'] };
  const sick = gpus.filter((gpu) => gpu.kind !== 'well');
  const [first] = sick;
  if (first) {
    const share = `${sick.length} of ${counted(gpus.length, 'GPU')} ${sick.length === 1 ? 'needs' : 'need'} attention: `;
    return {
      state: worstState(sick.map((gpu) => gpu.state)),
      answer: [share, { entity: first.entity }, ` on ${first.node} ${first.words}.${queue}`],
    };
  }
  const [node] = sickNodes;
  if (node)
    return {
      state: 'warning',
      answer: [
        `The GPUs are well, but ${counted(sickNodes.length, 'node')} of ${nodes.length} ${sickNodes.length === 1 ? 'is' : 'are'} not: `,
        { entity: node },
        ` ${node.health.reasons[0] ?? node.health.status}.${queue}`,
      ],
    };
  const what =
    gpus.length === 0
      ? `All ${counted(nodes.length, 'node')} are well; no GPU is known.`
      : `All ${counted(gpus.length, 'GPU')} on ${counted(nodes.length, 'node')} are well.`;
  return { state: 'ok', answer: [`${what}${queue}`] };
}

function numbersOf(gpus: readonly Gpu[], waiting: readonly EntitySummary[] | undefined): KeyNumber[] {
  const count = (test: (gpu: Gpu) => boolean) => gpus.filter(test).length;
  const [allocated, effective] = [count((gpu) => gpu.users.length > 0), count((gpu) => gpu.isEffective)];
  const [throttled, faulty, silent] = (['throttled', 'faulty', 'silent'] as const).map((kind) =>
    count((gpu) => gpu.kind === kind),
  );
  return [
    {
      text: gpus.length === 0 ? ABSENT : `${effective} / ${allocated} / ${gpus.length}`,
      label: 'effective of allocated of total',
      against: 'effective: at least 10 % of cycles with work',
    },
    {
      text: gpus.length === 0 ? ABSENT : String((throttled ?? 0) + (faulty ?? 0) + (silent ?? 0)),
      label: 'throttled, faulty or silent',
      against: `${throttled} throttled, ${faulty} faulty, ${silent} silent`,
      state: (throttled ?? 0) + (faulty ?? 0) > 0 ? 'warning' : undefined,
    },
    {
      text: waiting === undefined ? ABSENT : String(waiting.length),
      label: 'pods waiting for a GPU',
      state: (waiting?.length ?? 0) > 0 ? 'warning' : undefined,
    },
  ];
}

function matches(parts: readonly unknown[], q: string): boolean {
  const text = parts.flat().join(' ').toLowerCase();
  return q
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
