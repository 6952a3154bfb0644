import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { InvestigationsResponse } from '../../../api/contract/index.ts';
import { EntityChip } from '../../components/entity/entity-chip.tsx';
import layout from '../../components/layout.module.css';
import { Moment } from '../../components/moment.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { Panel } from '../../components/panel.tsx';
import type { State } from '../../components/state.ts';
import { StateMark } from '../../components/state-mark.tsx';
import { Failure, LoadingRows, Notice } from '../../components/states/notice.tsx';
import { type Column, Table } from '../../components/table/table.tsx';
import { counted } from '../../format/index.ts';
import { investigationsQuery } from '../../queries.ts';
import { STATE_OF_VERDICT } from '../investigation/words.ts';

type Row = InvestigationsResponse['items'][number];

const COLUMNS: Column<Row>[] = [
  {
    id: 'at',
    head: 'When',
    width: '112px',
    phone: 'show',
    value: (r) => Date.parse(r.createdAt),
    cell: (r) => <Moment at={r.createdAt} />,
  },
  {
    id: 'subject',
    head: 'Subject',
    width: 'minmax(140px, 1fr)',
    phone: 'show',
    value: (r) => r.subject,
    cell: (r) => <EntityChip entity={r.subject} look="plain" />,
  },
  { id: 'symptom', head: 'Symptom', width: '88px', from: 'medium', value: (r) => r.symptom, cell: (r) => r.symptom },
  {
    id: 'headline',
    head: 'Finding',
    width: 'minmax(240px, 4fr)',
    phone: 'title',
    cell: (r) => (
      <>
        <StateMark state={stateOf(r.verdict)} />
        <Link
          to="/investigations/$id"
          params={{ id: r.id }}
          data-row-link=""
          className={layout.clip}
          title={r.headline}
        >
          {r.headline}
        </Link>
      </>
    ),
  },
  {
    id: 'confidence',
    head: 'Confidence',
    width: '84px',
    align: 'right',
    value: (r) => r.confidence,
    cell: (r) => r.confidence.toFixed(2),
  },
];

/** What was asked before, and what came out. */
export function Page() {
  const { data, error, refetch } = useQuery(investigationsQuery());
  const items = data?.items ?? [];
  const found = items.filter((i) => i.verdict === 'cause-found').length;
  return (
    <>
      <PageHead
        state="idle"
        answer={[
          data === undefined
            ? 'Investigations'
            : items.length === 0
              ? 'Nothing has been investigated yet.'
              : `${counted(items.length, 'investigation')}; ${found} found a cause.`,
        ]}
        more="Every Why? is kept here with its evidence."
      />
      <Panel title="Investigations" flush>
        {error && !data ? (
          <Failure error={error} what="Investigations" onRetry={() => void refetch()} />
        ) : data === undefined ? (
          <LoadingRows />
        ) : (
          <Table
            label="Investigations"
            columns={COLUMNS}
            rows={items}
            rowKey={(r) => r.id}
            empty={
              <Notice
                state="idle"
                title="None yet"
                why="Press Why? wherever something hurts: on the overview, on a model service, a pod, a node or a GPU."
                fix={<Link to="/">To the overview</Link>}
              />
            }
          />
        )}
      </Panel>
    </>
  );
}

function stateOf(verdict: string): State {
  return Object.entries(STATE_OF_VERDICT).find(([known]) => known === verdict)?.[1] ?? 'unknown';
}
