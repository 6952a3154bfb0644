import { useQuery } from '@tanstack/react-query';
import { DEFAULT_TTFT_OBJECTIVE } from '../../../model/index.ts';
import { FilterInput } from '../../components/filter-input.tsx';
import layout from '../../components/layout.module.css';
import { type KeyNumber, Numbers } from '../../components/numbers.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { Panel } from '../../components/panel.tsx';
import { Failure, LoadingRows, Notice } from '../../components/states/notice.tsx';
import { ABSENT, formatMinute, formatParts, formatValue } from '../../format/index.ts';
import { useClusters, useNow, usePageSearch, useRange, useZone } from '../../page.ts';
import { changesQuery } from '../../queries.ts';
import { answerServices } from '../overview/answer.ts';
import { ConnectGuide } from '../overview/connect-guide.tsx';
import { ServiceTable } from './service-table.tsx';
import { type ModelService, useModelServices } from './use-model-services.ts';

/** Which model services are slow, failing, idle? */
export function Page() {
  const now = useNow();
  const zone = useZone();
  const range = useRange();
  const clusters = useClusters();
  const { q, cluster } = usePageSearch();
  const { services, isLoading, error, retry } = useModelServices();
  const changes = useQuery(changesQuery({ cluster }, range)).data ?? [];
  const times = new Map(
    services.map((s) => [s.entity.ref, changes.filter((c) => c.entity === s.entity.ref).map((c) => Date.parse(c.at))]),
  );
  const shown = services.filter((s) => matches(s, q ?? ''));
  const { state, answer } = isLoading
    ? { state: 'unknown' as const, answer: ['Looking at the model services …'] }
    : answerServices(services, (ms) => formatMinute(ms, zone, now), clusters.length);
  return (
    <>
      <PageHead state={state} answer={answer} numbers={<Numbers items={numbersOf(services)} />} />
      <div className={layout.stack}>
        {error ? <Failure error={error} what="Model services" onRetry={retry} /> : null}
        {!isLoading && services.length === 0 && !error ? <ConnectGuide /> : null}
        {isLoading ? <LoadingRows rows={6} /> : null}
        {!isLoading && services.length > 0 ? (
          <Panel
            title="Model services"
            note={`${shown.length} of ${services.length} · default objective: TTFT p95 within ${formatValue(DEFAULT_TTFT_OBJECTIVE, 's')}`}
            actions={<FilterInput placeholder="Filter by name, model, engine" />}
            flush
          >
            {shown.length === 0 ? (
              <Notice
                state="unknown"
                title={`No model service matches “${q}”`}
                fix="Clear the filter, or choose all clusters."
              />
            ) : (
              <ServiceTable services={shown} changes={times} showCluster={clusters.length > 1} />
            )}
          </Panel>
        ) : null}
      </div>
    </>
  );
}

function numbersOf(services: readonly ModelService[]): KeyNumber[] {
  const worst = [...services].sort((a, b) => (b.ttftNow ?? -1) - (a.ttftNow ?? -1))[0];
  const sum = (pick: (s: ModelService) => number | undefined) => {
    const known = services.map(pick).filter((v): v is number => v !== undefined);
    return known.length === 0 ? undefined : known.reduce((a, b) => a + b, 0);
  };
  return [
    {
      ...formatParts(worst?.ttftNow, 's'),
      label: 'highest TTFT p95',
      against: `objective ${formatValue(DEFAULT_TTFT_OBJECTIVE, 's')}${worst ? ` · ${worst.entity.name}` : ''}`,
      state: worst?.isOutside ? 'critical' : undefined,
    },
    {
      ...formatParts(
        sum((s) => s.tokens),
        'tokens/s',
      ),
      label: 'output tokens',
    },
    {
      ...formatParts(
        sum((s) => s.waiting),
        '',
      ),
      label: 'requests waiting',
      against: services.length === 0 ? ABSENT : undefined,
    },
  ];
}

function matches({ entity }: ModelService, q: string): boolean {
  const text = [entity.name, entity.namespace, entity.cluster, ...[entity.facts.model].flat(), entity.facts.engine]
    .join(' ')
    .toLowerCase();
  return q
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
