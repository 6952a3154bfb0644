import { useQueries, useQuery } from '@tanstack/react-query';
import type { ChangeItem, EntityDetail } from '../../../api/contract/index.ts';
import { DEFAULT_TTFT_OBJECTIVE } from '../../../model/index.ts';
import { lastValue, type Points } from '../../charts/align.ts';
import { SignalPanel } from '../../charts/signal-panel.tsx';
import type { ChartMarker } from '../../charts/time-chart.tsx';
import { Coverage } from '../../components/entity/coverage.tsx';
import { EntityLogs } from '../../components/entity/entity-logs.tsx';
import { EntityTraces } from '../../components/entity/entity-traces.tsx';
import { EventsAndChanges } from '../../components/entity/events-and-changes.tsx';
import { RelatedList } from '../../components/entity/related-list.tsx';
import layout from '../../components/layout.module.css';
import { type KeyNumber, Numbers } from '../../components/numbers.tsx';
import { PageHead, type Sentence } from '../../components/page-head.tsx';
import { type Tab, Tabs, useChosenTab } from '../../components/tabs.tsx';
import { DataAge } from '../../components/trouble/data-age.tsx';
import { WhyButton } from '../../components/why-button.tsx';
import { formatMinute, formatParts, formatRange, formatValue } from '../../format/index.ts';
import { useNow, useRange, useZone } from '../../page.ts';
import { changesQuery, signalQuery } from '../../queries.ts';
import { type PageRange, usualRange } from '../../range.ts';
import { type Judgement, judgeService, usualOf } from '../models/judge-service.ts';
import { aboutService } from '../models/service-table.tsx';
import { freshValue } from '../models/use-model-services.ts';
import { PhaseBar } from './phase-bar.tsx';
import { ReplicaTable } from './replica-table.tsx';

export function ModelView({ entity }: { entity: EntityDetail }) {
  const range = useRange();
  const now = useNow();
  const zone = useZone();
  const changes = useQuery(changesQuery({ entity: entity.ref }, range)).data;
  const numbers = useKeySignals(entity.ref, range);
  const judged = judgeService({
    health: entity.health.status,
    reason: entity.health.reasons[0],
    ttft: numbers.ttft,
    itl: numbers.itl,
    before: numbers.before,
    requests: freshValue(numbers.requests, range),
    waiting: freshValue(numbers.waiting, range),
  });
  const tabs: Tab[] = [
    { id: 'health', label: 'Health' },
    { id: 'changes', label: 'Changes', count: changes?.length },
    { id: 'logs', label: 'Logs' },
    { id: 'traces', label: 'Traces' },
    { id: 'related', label: 'Related' },
    { id: 'coverage', label: 'Coverage' },
  ];
  const tab = useChosenTab(tabs);
  const since = judged.since === undefined ? '' : ` since ${formatMinute(judged.since, zone, now)}`;
  return (
    <>
      <PageHead
        state={judged.state}
        answer={sentence(entity, judged, since, numbers.ttft, numbers.usual.ttft)}
        more={[
          aboutService(entity.facts),
          [entity.facts.model].flat().filter(Boolean).join(', '),
          ...entity.health.reasons,
        ]
          .filter(Boolean)
          .join(' · ')}
        actions={<WhyButton subject={entity.ref} isPrimary />}
        numbers={
          <Numbers
            items={keyNumbers(
              numbers,
              range,
              judged.isOutside,
              formatRange(numbers.usualRange.from, numbers.usualRange.to, zone, now),
            )}
          />
        }
      />
      <DataAge cluster={entity.cluster} />
      <Tabs tabs={tabs} />
      {tab === 'health' ? <Health entity={entity} markers={markersOf(changes ?? [])} /> : null}
      {tab === 'changes' ? <EventsAndChanges entityRef={entity.ref} /> : null}
      {tab === 'logs' ? <EntityLogs entityRef={entity.ref} /> : null}
      {tab === 'traces' ? <EntityTraces entityRef={entity.ref} /> : null}
      {tab === 'related' ? <RelatedList entity={entity} /> : null}
      {tab === 'coverage' ? <Coverage entityRef={entity.ref} /> : null}
    </>
  );
}

function Health({ entity, markers }: { entity: EntityDetail; markers: readonly ChartMarker[] }) {
  const { ref } = entity;
  const own = (name: string, label: string, slot: number, stat?: 'p50' | 'p95' | 'p99') => ({
    name,
    entity: ref,
    label,
    slot,
    stat,
  });
  return (
    <div className={layout.stack}>
      <div className={layout.halves}>
        <PhaseBar entityRef={ref} />
        <SignalPanel
          title="Time to first token"
          threshold={DEFAULT_TTFT_OBJECTIVE}
          note={`default objective ${formatValue(DEFAULT_TTFT_OBJECTIVE, 's')} at p95`}
          markers={markers}
          signals={[
            own('inference.ttft', 'p50', 0, 'p50'),
            own('inference.ttft', 'p95', 1, 'p95'),
            own('inference.ttft', 'p99', 3, 'p99'),
          ]}
        />
      </div>
      <ReplicaTable entity={entity} />
      <div className={layout.grid}>
        <SignalPanel
          title="Inter-token latency p95 by replica"
          markers={markers}
          signals={[{ name: 'inference.itl', entity: ref, by: 'pod', stat: 'p95' }]}
        />
        <SignalPanel
          title="End-to-end latency"
          markers={markers}
          signals={[own('inference.e2e', 'p50', 0, 'p50'), own('inference.e2e', 'p95', 1, 'p95')]}
        />
        <SignalPanel
          title="Requests running and waiting"
          markers={markers}
          unit="requests"
          signals={[own('inference.running', 'running', 2), own('inference.waiting', 'waiting', 1)]}
        />
        <SignalPanel
          title="KV cache use by replica"
          markers={markers}
          signals={[{ name: 'inference.kv_usage', entity: ref, by: 'pod' }]}
        />
        <SignalPanel
          title="Tokens"
          unit="tokens/s"
          markers={markers}
          signals={[own('inference.prompt_tokens', 'prompt', 0), own('inference.output_tokens', 'output', 1)]}
        />
        <SignalPanel
          title="Requests"
          unit="requests/s"
          markers={markers}
          signals={[own('inference.requests', 'finished', 0), own('inference.errors', 'failed', 3)]}
        />
        <SignalPanel
          title="Prompt and output length p95"
          unit="tokens"
          markers={markers}
          signals={[
            own('inference.prompt_length', 'prompt', 0, 'p95'),
            own('inference.output_length', 'output', 1, 'p95'),
          ]}
        />
        <SignalPanel
          title="SM clock of its GPUs"
          markers={markers}
          signals={[{ name: 'gpu.sm_clock', entity: ref, by: 'gpu' }]}
        />
        <SignalPanel
          title="GPU temperature"
          markers={markers}
          signals={[{ name: 'gpu.temperature', entity: ref, by: 'gpu' }]}
        />
      </div>
    </div>
  );
}

interface KeySignals {
  ttft: Points;
  itl: Points;
  waiting: Points;
  requests: Points;
  before: { ttft: Points; itl: Points };
  usual: { ttft: number | undefined; itl: number | undefined };
  usualRange: PageRange;
}

/** The signals of the page's head, and what is usual: the middle value over the same length of time before. */
function useKeySignals(entity: string, range: PageRange): KeySignals {
  const past = usualRange(range);
  const [ttft, itl, waiting, requests, ttftBefore, itlBefore] = useQueries({
    queries: [
      signalQuery({ name: 'inference.ttft', entity, stat: 'p95' }, range),
      signalQuery({ name: 'inference.itl', entity, stat: 'p95' }, range),
      signalQuery({ name: 'inference.waiting', entity }, range),
      signalQuery({ name: 'inference.requests', entity }, range),
      signalQuery({ name: 'inference.ttft', entity, stat: 'p95' }, past),
      signalQuery({ name: 'inference.itl', entity, stat: 'p95' }, past),
    ],
  }).map((answer) => answer.data?.series[0]?.points ?? []);
  return {
    ttft: ttft ?? [],
    itl: itl ?? [],
    waiting: waiting ?? [],
    requests: requests ?? [],
    before: { ttft: ttftBefore ?? [], itl: itlBefore ?? [] },
    usual: { ttft: usualOf(ttftBefore ?? [], ttft ?? []), itl: usualOf(itlBefore ?? [], itl ?? []) },
    usualRange: past,
  };
}

function sentence(
  entity: EntityDetail,
  { isOutside, word, detail }: Judgement,
  since: string,
  ttft: Points,
  usual: number | undefined,
): Sentence {
  const subject = { entity };
  if (word === 'within its objective') return [subject, ' is well: it meets its objective.'];
  if (!isOutside) return [subject, ` is ${word}${since}${detail === undefined ? '' : `: ${detail}`}.`];
  const now = lastValue(ttft)?.value;
  const times =
    word === 'slow' && now !== undefined && usual
      ? `: the first token takes ${formatValue(now / usual, 'times')} as long as usual`
      : '';
  return [subject, ` is ${word}${since}${times}.`];
}

function keyNumbers(signals: KeySignals, range: PageRange, isOutside: boolean, usualTime: string): KeyNumber[] {
  const usual = (value: number | undefined) =>
    value === undefined ? 'usual not known' : `usual ${formatValue(value, 's')}`;
  const hover = `usual: the median of ${usualTime}`;
  return [
    {
      ...formatParts(freshValue(signals.ttft, range), 's'),
      label: 'TTFT p95',
      against: `default objective ${formatValue(DEFAULT_TTFT_OBJECTIVE, 's')} · ${usual(signals.usual.ttft)}`,
      state: isOutside ? 'critical' : undefined,
      hover,
    },
    {
      ...formatParts(freshValue(signals.itl, range), 's'),
      label: 'inter-token p95',
      against: usual(signals.usual.itl),
      hover,
    },
    {
      ...formatParts(freshValue(signals.waiting, range), ''),
      label: 'requests waiting',
      against: `${formatValue(freshValue(signals.requests, range), 'requests/s')} finished`,
    },
  ];
}

function markersOf(changes: readonly ChangeItem[]): ChartMarker[] {
  return changes.map((change) => ({ at: Date.parse(change.at), label: `${change.kind}: ${change.summary}` }));
}
