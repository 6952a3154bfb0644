import { ActionIcon, Popover } from '@mantine/core';
import { IconCode } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { InvestigationBody } from '../../../api/contract/index.ts';
import { parseRef } from '../../../model/index.ts';
import { type ChartSeries, TimeChart } from '../../charts/time-chart.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { EntityChip } from '../../components/entity/entity-chip.tsx';
import layout from '../../components/layout.module.css';
import { Loading } from '../../components/states/notice.tsx';
import { formatValue } from '../../format/index.ts';
import { type PromMatrix, promRangeQuery, signalCatalogueQuery } from '../../queries.ts';
import { stepFor } from '../../range.ts';
import styles from './evidence.module.css';
import { signalWords } from './words.ts';

type Evidence = InvestigationBody['evidence'][number];

interface Props {
  evidence: readonly Evidence[];
  investigation: InvestigationBody;
}

/** What was seen: each signal before and during, over both windows, with its query. */
export function EvidenceGrid({ evidence, investigation }: Props) {
  return (
    <section aria-label="Evidence">
      <h2 className={styles.heading}>Evidence</h2>
      <div className={styles.grid}>
        {evidence.map((item) => (
          <EvidenceCard key={item.id} item={item} investigation={investigation} />
        ))}
      </div>
    </section>
  );
}

function EvidenceCard({ item, investigation }: { item: Evidence; investigation: InvestigationBody }) {
  const meaning = useQuery(signalCatalogueQuery()).data?.find(({ name }) => name === item.signal)?.meaning;
  return (
    <article className={styles.card}>
      <header className={styles.head}>
        <h3 className={styles.title} title={meaning}>
          {signalWords(item.signal)}
        </h3>
        <EntityChip entity={item.entity} look="plain" />
        <span className={styles.tools}>
          {item.role === 'contradicts' ? <span className={styles.role}>speaks against it</span> : null}
          <QueryPopover item={item} />
        </span>
      </header>
      <p className={styles.values}>
        {formatValue(item.before, item.unit)} <span className={layout.muted}>before →</span>{' '}
        <strong>{formatValue(item.during, item.unit)}</strong> <span className={layout.muted}>during</span>
        {changeOf(item) === '' ? null : <span className={styles.change}>{changeOf(item)}</span>}
      </p>
      {item.query.language === 'promql' ? <EvidenceChart item={item} investigation={investigation} /> : null}
    </article>
  );
}

function EvidenceChart({ item, investigation }: { item: Evidence; investigation: InvestigationBody }) {
  const from = Date.parse(investigation.baseline.from);
  const to = Date.parse(investigation.window.to);
  const step = Math.max(stepFor(from, to, 160), 15);
  const range = { from, to, step, isLive: false, anchor: to };
  const { data, error } = useQuery({ ...promRangeQuery(item.query.text, range), staleTime: Number.POSITIVE_INFINITY });
  if (error) return <p className={layout.muted}>The chart could not be loaded: {error.message}</p>;
  if (!data) return <Loading height={96} />;
  const shades = [{ from: Date.parse(investigation.onset?.at ?? investigation.window.from), to }];
  const series = seriesOf(item, data);
  return (
    <TimeChart
      label={`${signalWords(item.signal)} before and during`}
      unit={item.unit}
      series={series}
      range={range}
      height={96}
      shades={shades}
      canBrush={false}
      hasLegend={series.length > 1}
    />
  );
}

/** The series of the evidence's entity. A query may answer for its neighbours too; where none bears its name, all are shown. */
function seriesOf(item: Evidence, { data }: PromMatrix): ChartSeries[] {
  const name = parseRef(item.entity)?.name ?? '';
  const own = data.result.filter(({ metric }) => Object.values(metric).includes(name));
  const shown = own.length > 0 ? own : data.result.slice(0, 12);
  return shown.map(({ metric, values }, i) => {
    const words = Object.entries(metric)
      .filter(([label]) => label !== '__name__')
      .map(([, value]) => value)
      .join(' ');
    return {
      key: shown.length === 1 ? item.entity : `${item.entity} ${words || i}`,
      label: words || item.signal,
      points: values.map(([t, v]): [number, number] => [t, Number(v)]),
    };
  });
}

function QueryPopover({ item }: { item: Evidence }) {
  const { language, text } = item.query;
  return (
    <Popover position="bottom-end" width={480} trapFocus>
      <Popover.Target>
        <ActionIcon variant="subtle" size={24} aria-label="Show the query">
          <IconCode size={14} stroke={1.5} />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown p={12}>
        <pre className={styles.query}>{text}</pre>
        <span className={`${layout.row} ${layout.small} ${layout.muted}`}>
          {language}, step {formatValue(item.query.step, 's')}
          <CopyButton text={text} label="Copy the query" />
          {language === 'promql' ? (
            <Link to="/explore/metrics" search={{ q: text, from: item.query.from, to: item.query.to }}>
              Open in Explore
            </Link>
          ) : null}
        </span>
      </Popover.Dropdown>
    </Popover>
  );
}

/** By how much, as a factor or, near one, as a share. */
function changeOf({ before, during }: Evidence): string {
  if (before === null || during === null || before <= 0) return '';
  const factor = during / before;
  if (factor >= 2 || factor < 0.1) return formatValue(factor, 'times');
  return formatValue(factor - 1, 'ratio', { signed: true });
}
