import type { RedactionResponse } from '../../../api/contract/index.ts';
import layout from '../../components/layout.module.css';
import { Moment } from '../../components/moment.tsx';
import { StateMark } from '../../components/state-mark.tsx';
import { Notice } from '../../components/states/notice.tsx';
import { numberColumn } from '../../components/table/columns.tsx';
import { Table } from '../../components/table/table.tsx';

type Rule = RedactionResponse['rules'][number];

export function RuleTable({ rules }: { rules: readonly Rule[] }) {
  return (
    <Table
      label="Rules"
      columns={[
        {
          id: 'name',
          head: 'Rule',
          width: 'minmax(140px, 1fr)',
          phone: 'title',
          value: (r) => r.name,
          cell: (r) => (
            <>
              <StateMark state={r.on ? 'ok' : 'silenced'} />
              <span className={layout.mono}>{r.name}</span>
            </>
          ),
        },
        {
          id: 'on',
          head: 'State',
          width: '56px',
          phone: 'show',
          value: (r) => (r.on ? 1 : 0),
          cell: (r) => <span className={r.on ? layout.secondary : layout.strong}>{r.on ? 'on' : 'off'}</span>,
        },
        {
          id: 'hides',
          head: 'Hides',
          width: 'minmax(200px, 3.5fr)',
          from: 'medium',
          cell: (r) => (
            <span className={layout.clip} title={r.hides}>
              {r.hides}
            </span>
          ),
        },
        {
          id: 'source',
          head: 'From',
          width: '72px',
          phone: 'show',
          value: (r) => r.source,
          cell: (r) => <span className={layout.secondary}>{r.source === 'user' ? 'yours' : 'built in'}</span>,
        },
        numberColumn(rules, {
          id: 'count',
          head: 'Texts',
          unit: '',
          width: '80px',
          phone: 'show',
          pick: (r) => r.count,
          hint: 'Texts in which it hid something since the server started',
        }),
        {
          id: 'last',
          head: 'Last',
          width: '84px',
          align: 'right',
          value: (r) => (r.last === undefined ? null : Date.parse(r.last)),
          cell: (r) =>
            r.last === undefined ? <span className={layout.muted}>not yet</span> : <Moment at={r.last} as="ago" />,
        },
      ]}
      rows={rules}
      rowKey={(r) => `${r.source} ${r.name}`}
      empty={<Notice state="unknown" title="There is no rule" />}
    />
  );
}
