import { useNavigate } from '@tanstack/react-router';
import type { InvestigationBody } from '../../../api/contract/index.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { EntityChip } from '../../components/entity/entity-chip.tsx';
import layout from '../../components/layout.module.css';
import { type KeyNumber, Numbers } from '../../components/numbers.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { Panel } from '../../components/panel.tsx';
import { StateMark } from '../../components/state-mark.tsx';
import { WhyButton } from '../../components/why-button.tsx';
import { ABSENT, coarse, counted, formatMinute, formatParts, formatRange, formatValue } from '../../format/index.ts';
import { useNow, useZone } from '../../page.ts';
import { Answers } from './answers.tsx';
import { Chain } from './chain.tsx';
import { EvidenceGrid } from './evidence-grid.tsx';
import styles from './investigation.module.css';
import { mechanismWords, STATE_OF_VERDICT, signalWords, symptomWord } from './words.ts';

export function InvestigationView({ investigation }: { investigation: InvestigationBody }) {
  const now = useNow();
  const zone = useZone();
  const [first, ...others] = investigation.causes;
  const window = formatRange(ms(investigation.window.from), ms(investigation.window.to), zone, now);
  const baseline = formatRange(ms(investigation.baseline.from), ms(investigation.baseline.to), zone, now);
  const main = investigation.evidence.filter((e) => first?.evidence.includes(e.id));
  const rest = investigation.evidence.filter((e) => !main.includes(e));
  return (
    <>
      <p className={styles.question}>
        <span>Why is</span> <EntityChip entity={investigation.subject} />{' '}
        <span>{symptomWord(investigation.symptom)}?</span>
        <span className={layout.muted}>
          {window}, against {baseline}
        </span>
        <span className={styles.tools}>
          <CopyButton text={location.href.split('?')[0] ?? location.href} label="Copy a link to this" />
          <WhyButton subject={investigation.subject} label="Ask again" />
        </span>
      </p>
      <PageHead
        state={STATE_OF_VERDICT[investigation.verdict]}
        answer={[investigation.headline]}
        numbers={<Numbers items={numbersOf(investigation, (at) => formatMinute(ms(at), zone, now))} />}
      />
      <div className={layout.stack}>
        <FirstStep next={investigation.next} />
        {first ? <Chain cause={first} evidence={investigation.evidence} subject={investigation.subject} /> : null}
        {investigation.evidence.length > 0 ? (
          <EvidenceGrid evidence={main.length > 0 ? main : investigation.evidence} investigation={investigation} />
        ) : null}
        <Answers investigation={investigation} />
        {investigation.ruledOut.length > 0 ? <RuledOut items={investigation.ruledOut} /> : null}
        {investigation.unseen.length > 0 ? <NotSeen items={investigation.unseen} /> : null}
        {others.length > 0 ? <OtherCauses causes={others} /> : null}
        {main.length > 0 && rest.length > 0 ? (
          <details className={styles.more}>
            <summary>Raw signals looked at ({rest.length})</summary>
            <EvidenceGrid evidence={rest} investigation={investigation} />
          </details>
        ) : null}
        <Footer investigation={investigation} />
      </div>
    </>
  );
}

function numbersOf(investigation: InvestigationBody, formatTime: (at: string) => string): KeyNumber[] {
  const { onset, confidence, verdict, phases, subsets } = investigation;
  // Without a fault what little moved is nothing to put first.
  const moved = verdict === 'no-fault' ? [] : [...phases].sort((a, b) => (b.share ?? -1) - (a.share ?? -1));
  const [phase] = moved;
  const [subset] = subsets;
  const spread = onset ? Math.round((ms(onset.high) - ms(onset.low)) / 2000) : 0;
  return [
    {
      ...(phase ? formatParts(phase.share, 'ratio') : { text: ABSENT, unit: '' }),
      label: phase ? `of the added time is ${phase.phase}` : 'no phase moved',
      against: phase
        ? `${formatValue(phase.before, 's')} → ${formatValue(phase.during, 's')}`
        : 'time by phase, before and during',
    },
    {
      text: onset ? formatTime(onset.at) : ABSENT,
      label: onset ? 'began' : 'no onset found',
      against: onset ? `± ${coarse(Math.max(1, spread))}` : undefined,
    },
    {
      text: confidence.toFixed(2),
      label: 'confidence',
      against: subset
        ? `affects ${subset.attribute} ${subset.value}`
        : verdict === 'cause-found'
          ? 'affects all requests alike'
          : undefined,
    },
  ];
}

function FirstStep({ next }: { next: InvestigationBody['next'] }) {
  const [first, ...later] = next;
  if (!first) return null;
  return (
    <section className={styles.step} aria-label="What to do">
      <div className={styles.stepMain}>
        <strong>First step</strong>
        <span>{first.text}</span>
        {first.link ? <StepLink to={first.link}>Show</StepLink> : null}
        {first.runbook ? <StepLink to={first.runbook}>Runbook</StepLink> : null}
      </div>
      {first.action ? (
        <div className={styles.command}>
          <code>{first.action}</code>
          <CopyButton text={first.action} label="Copy the command" />
        </div>
      ) : null}
      {later.length > 0 ? (
        <ol className={styles.later}>
          {later.map((step) => (
            <li key={step.text}>
              Then: {step.text} {step.link ? <StepLink to={step.link}>Show</StepLink> : null}{' '}
              {step.action ? <code>{step.action}</code> : null}
            </li>
          ))}
        </ol>
      ) : null}
    </section>
  );
}

/** Own pages open in place; anything else is somebody else's site. */
function StepLink({ to, children }: { to: string; children: string }) {
  const navigate = useNavigate();
  const isOwn = to.startsWith('/') && !to.startsWith('//');
  if (!isOwn && !/^https?:/.test(to)) return null;
  return (
    <a
      href={to}
      rel="noreferrer"
      onClick={(event) => {
        if (!isOwn || event.metaKey || event.ctrlKey) return;
        event.preventDefault();
        void navigate({ href: to });
      }}
    >
      {children}
    </a>
  );
}

function RuledOut({ items }: { items: InvestigationBody['ruledOut'] }) {
  return (
    <Panel title="Ruled out" note="what it could have been, and why it is not">
      <ul className={styles.columns}>
        {items.map((item) => (
          <li key={`${item.mechanism} ${item.entity}`}>
            <StateMark state="silenced" />
            <span>
              <strong className={styles.term}>{mechanismWords(item.mechanism)}</strong> of{' '}
              <EntityChip entity={item.entity} look="plain" />: {item.because}
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function NotSeen({ items }: { items: InvestigationBody['unseen'] }) {
  return (
    <Panel title="Not seen" note="would have been looked at, but is not collected">
      <ul className={styles.list}>
        {items.map((item) => (
          <li key={`${item.signal} ${item.entity}`}>
            <StateMark state="unknown" />
            <span>
              <strong className={styles.term}>{signalWords(item.signal)}</strong> on{' '}
              <EntityChip entity={item.entity} look="plain" />: {item.why}{' '}
              <span className={layout.muted}>{item.fix}</span>
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function OtherCauses({ causes }: { causes: InvestigationBody['causes'] }) {
  return (
    <details className={styles.more}>
      <summary>{counted(causes.length, 'other cause')} considered</summary>
      <ul className={styles.list}>
        {causes.map((cause) => (
          <li key={`${cause.mechanism} ${cause.entity}`}>
            <span className={styles.score}>{cause.score.toFixed(2)}</span>
            <span>
              <strong className={styles.term}>{mechanismWords(cause.mechanism)}</strong> of{' '}
              <EntityChip entity={cause.entity} look="plain" />: {cause.summary}
            </span>
          </li>
        ))}
      </ul>
    </details>
  );
}

function Footer({ investigation }: { investigation: InvestigationBody }) {
  const { trust, cost, tookMs, unseen } = investigation;
  const doubtful = trust.filter((t) => t.gaps > 0 || t.dropped > 0 || t.freshnessSeconds > 120);
  return (
    <p className={styles.foot}>
      Took {formatValue(tookMs / 1000, 's')} with {counted(cost.queries, 'query', 'queries')} costing{' '}
      {formatValue(cost.seconds, 's')}. {unseen.length === 0 ? 'Everything that was needed is collected. ' : null}
      {trust.length === 0
        ? null
        : doubtful.length === 0
          ? `${counted(trust.length, 'source')} looked at, fresh and without gaps.`
          : `Doubtful: ${doubtful.map((t) => `${t.source} (newest ${coarse(t.freshnessSeconds)} old, ${counted(t.gaps, 'gap')}, ${t.dropped} dropped)`).join('; ')}.`}
    </p>
  );
}

function ms(at: string): number {
  return Date.parse(at);
}
