import { useQueries, useQuery } from '@tanstack/react-query';
import type { EntityDetail } from '../../../api/contract/index.ts';
import { SignalPanel } from '../../charts/signal-panel.tsx';
import { Coverage } from '../../components/entity/coverage.tsx';
import { EntityChip } from '../../components/entity/entity-chip.tsx';
import { EntityLogs } from '../../components/entity/entity-logs.tsx';
import { KIND_WORD } from '../../components/entity/entity-target.ts';
import { EntityTraces } from '../../components/entity/entity-traces.tsx';
import { EventsAndChanges } from '../../components/entity/events-and-changes.tsx';
import { RelatedList } from '../../components/entity/related-list.tsx';
import layout from '../../components/layout.module.css';
import { type KeyNumber, Numbers } from '../../components/numbers.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { type Tab, Tabs, useChosenTab } from '../../components/tabs.tsx';
import { DataAge } from '../../components/trouble/data-age.tsx';
import { WhyButton } from '../../components/why-button.tsx';
import { ABSENT, formatParts, formatValue } from '../../format/index.ts';
import { useRange } from '../../page.ts';
import { changesQuery, signalQuery } from '../../queries.ts';
import { freshValue } from '../models/use-model-services.ts';
import { EntityFacts } from './entity-facts.tsx';
import { type NumberPlan, viewOf } from './kind-views.ts';
import { useAnswer } from './use-answer.ts';

export function EntityView({ entity }: { entity: EntityDetail }) {
  const range = useRange();
  const view = viewOf(entity.kind);
  const changes = useQuery(changesQuery({ entity: entity.ref }, range)).data;
  const panels = [...(view.when?.(entity) ?? []), ...view.panels];
  const tabs: Tab[] = [
    { id: 'health', label: panels.length > 0 ? 'Health' : 'Facts' },
    { id: 'changes', label: 'Changes and events', count: changes?.length },
    ...(view.hasLogs ? [{ id: 'logs', label: 'Logs' }] : []),
    ...(view.hasTraces ? [{ id: 'traces', label: 'Traces' }] : []),
    { id: 'related', label: 'Related', count: entity.relations.length },
    { id: 'coverage', label: 'Coverage' },
  ];
  const tab = useChosenTab(tabs);
  const { state, answer } = useAnswer(entity);
  const markers = (changes ?? []).map((change) => ({
    at: Date.parse(change.at),
    label: `${change.kind}: ${change.summary}`,
  }));
  return (
    <>
      <PageHead
        state={state}
        answer={answer}
        more={<Whereabouts entity={entity} />}
        actions={<WhyButton subject={entity.ref} isPrimary />}
        numbers={view.numbers.length > 0 ? <SignalNumbers entity={entity} plans={view.numbers} /> : undefined}
      />
      <DataAge cluster={entity.cluster} />
      <Tabs tabs={tabs} />
      {tab === 'health' ? (
        <div className={layout.side}>
          <div className={layout.grid}>
            {panels.map(({ title, unit, signals }) => (
              <SignalPanel
                key={title}
                title={title}
                markers={markers}
                signals={signals.map((signal) => ({ ...signal, entity: entity.ref }))}
                {...(unit ? { unit } : {})}
              />
            ))}
            {panels.length === 0 ? <RelatedList entity={entity} /> : null}
          </div>
          <EntityFacts entity={entity} />
        </div>
      ) : null}
      {tab === 'changes' ? <EventsAndChanges entityRef={entity.ref} /> : null}
      {tab === 'logs' ? <EntityLogs entityRef={entity.ref} /> : null}
      {tab === 'traces' ? <EntityTraces entityRef={entity.ref} /> : null}
      {tab === 'related' ? <RelatedList entity={entity} /> : null}
      {tab === 'coverage' ? <Coverage entityRef={entity.ref} /> : null}
    </>
  );
}

/** The kind and what it stands in and on. */
function Whereabouts({ entity }: { entity: EntityDetail }) {
  const places = entity.relations
    .filter(
      (r) =>
        (r.to === entity.ref && r.kind === 'contains') ||
        (r.from === entity.ref && r.kind === 'runs-on') ||
        (entity.kind === 'gpu' && r.to === entity.ref && r.kind === 'uses'),
    )
    .map((r) => (r.from === entity.ref ? r.to : r.from));
  return (
    <span className={layout.row}>
      {KIND_WORD[entity.kind]}
      {[...new Set(places)].slice(0, 6).map((ref) => (
        <EntityChip key={ref} entity={entity.related.find((e) => e.ref === ref) ?? ref} />
      ))}
    </span>
  );
}

function SignalNumbers({ entity, plans }: { entity: EntityDetail; plans: readonly NumberPlan[] }) {
  const range = useRange();
  const answers = useQueries({
    queries: plans.map(({ signal, stat }) => signalQuery({ name: signal, entity: entity.ref, stat }, range)),
  });
  const wholes = useQueries({
    queries: plans.map(({ signal, of }) => ({
      ...signalQuery({ name: of ?? signal, entity: entity.ref }, range),
      enabled: of !== undefined,
    })),
  });
  const items = plans.map(({ label, unit: wanted, of, fact }, i): KeyNumber => {
    const answer = answers[i]?.data;
    const known = fact === undefined ? undefined : entity.facts[fact];
    const value = freshValue(answer?.series[0]?.points ?? [], range) ?? (typeof known === 'number' ? known : undefined);
    const whole = of === undefined ? undefined : freshValue(wholes[i]?.data?.series[0]?.points ?? [], range);
    const unit = wanted ?? answer?.unit ?? '';
    const missing = answer?.missing[0];
    if (value === undefined)
      return {
        text: ABSENT,
        label,
        against: missing ? 'not collected' : 'no sample now',
        hover: missing ? `${missing.why} ${missing.fix}` : undefined,
      };
    if (whole === undefined) return { ...formatParts(value, unit), label };
    if (unit === '1') return { text: `${value} / ${whole}`, label };
    return {
      ...formatParts(whole === 0 ? undefined : value / whole, 'ratio'),
      label,
      against: `${formatValue(value, unit)} of ${formatValue(whole, unit)}`,
    };
  });
  return <Numbers items={items} />;
}
