import { columnOf, columnUnit, formatValue } from '../../format/index.ts';
import layout from '../layout.module.css';
import type { Column } from './table.tsx';

interface NumberColumn<Row> extends Partial<Omit<Column<Row>, 'cell' | 'unit'>> {
  id: string;
  head: string;
  /** A unit as the catalogue calls it: `s`, `bytes`, `ratio`; `''` for counts. */
  unit: string;
  width: string;
  pick: (row: Row) => number | null | undefined;
  /** Put a plus before what is more than 0: for differences. */
  signed?: boolean;
  /** Marks a value that stands out, by weight rather than colour alone. */
  look?: ((row: Row) => string | false | undefined) | undefined;
}

/** A column of numbers: aligned right, sortable, with the one scale that suits `rows` and its unit in the head. */
export function numberColumn<Row>(rows: readonly Row[], wanted: NumberColumn<Row>): Column<Row> {
  const { unit, pick, look, signed = false, ...rest } = wanted;
  const column = columnOf(rows.map(pick), unit);
  const text = (row: Row) => formatValue(pick(row), unit, { column, signed });
  return {
    unit: columnUnit(column),
    align: 'right',
    value: pick,
    cell: look === undefined ? text : (row) => <span className={look(row) || ''}>{text(row)}</span>,
    ...rest,
  };
}

/** The column that says which cluster a row is of; none when all are of one. */
export function clusterColumn<Row>(
  isShown: boolean,
  clusterOf: (row: Row) => string,
  rest: Partial<Pick<Column<Row>, 'width' | 'from' | 'phone'>> = {},
): Column<Row>[] {
  if (!isShown) return [];
  const cell = (row: Row) => <span className={layout.secondary}>{clusterOf(row)}</span>;
  return [{ id: 'cluster', head: 'Cluster', width: 'minmax(72px, 0.6fr)', value: clusterOf, cell, ...rest }];
}
