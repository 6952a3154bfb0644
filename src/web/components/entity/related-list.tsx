import type { EntityDetail, EntitySummary } from '../../../api/contract/index.ts';
import { Panel } from '../panel.tsx';
import { rankOfState, stateOfHealth } from '../state.ts';
import { StateMark } from '../state-mark.tsx';
import { Notice } from '../states/notice.tsx';
import { type Column, Table } from '../table/table.tsx';
import { EntityChip } from './entity-chip.tsx';
import { KIND_WORD } from './entity-target.ts';
import { KindIcon } from './kind-icon.tsx';

interface Row {
  entity: EntitySummary;
  how: string;
}

const OUT: Record<string, string> = {
  contains: 'contains',
  'runs-on': 'runs on',
  uses: 'uses',
  calls: 'calls',
  serves: 'serves',
  selects: 'selects',
};
const IN: Record<string, string> = {
  contains: 'is in',
  'runs-on': 'carries',
  uses: 'is used by',
  calls: 'is called by',
  serves: 'is served by',
  selects: 'is selected by',
};

const COLUMNS: Column<Row>[] = [
  { id: 'how', head: 'Relation', width: '128px', phone: 'show', value: (r) => r.how, cell: (r) => r.how },
  {
    id: 'entity',
    head: 'Entity',
    width: 'minmax(180px, 2fr)',
    phone: 'title',
    value: (r) => r.entity.name,
    cell: (r) => (
      <>
        <StateMark state={stateOfHealth(r.entity.health.status)} />
        <EntityChip entity={r.entity} look="plain" isRowLink />
      </>
    ),
  },
  {
    id: 'kind',
    head: 'Kind',
    width: '140px',
    value: (r) => r.entity.kind,
    cell: (r) => (
      <>
        <KindIcon kind={r.entity.kind} /> {KIND_WORD[r.entity.kind]}
      </>
    ),
  },
  {
    id: 'namespace',
    head: 'Namespace',
    width: 'minmax(80px, 1fr)',
    from: 'medium',
    value: (r) => r.entity.namespace,
    cell: (r) => r.entity.namespace || '–',
  },
  {
    id: 'health',
    head: 'State',
    width: 'minmax(160px, 2fr)',
    phone: 'show',
    value: (r) => rankOfState(stateOfHealth(r.entity.health.status)),
    cell: (r) => (
      <span title={r.entity.health.reasons.join('\n')}>{r.entity.health.reasons[0] ?? r.entity.health.status}</span>
    ),
  },
];

/** What an entity contains, stands on, calls and is called by. */
export function RelatedList({ entity }: { entity: EntityDetail }) {
  const byRef = new Map(entity.related.map((related) => [related.ref, related]));
  const rows = entity.relations.flatMap(({ kind, from, to, confidence }): Row[] => {
    const isOut = from === entity.ref;
    const other = byRef.get(isOut ? to : from);
    if (!other) return [];
    const how = `${(isOut ? OUT : IN)[kind] ?? kind}${confidence === 'exact' ? '' : ` (${confidence})`}`;
    return [{ entity: other, how }];
  });
  return (
    <Panel title="Related" flush>
      <Table
        label="Related entities"
        columns={COLUMNS}
        rows={rows}
        rowKey={(r) => `${r.how} ${r.entity.ref}`}
        empty={
          <Notice
            state="unknown"
            title="Nothing related is known"
            why="Relations come from Kubernetes, exporter labels and spans."
          />
        }
      />
    </Panel>
  );
}
