import { Link } from '@tanstack/react-router';
import { parseRef } from '../../../model/index.ts';
import { shortGpuName } from '../../format/index.ts';
import { cx } from '../class-names.ts';
import { MiddleCut } from '../middle-cut.tsx';
import styles from './entity-chip.module.css';
import { type EntityLike, entityTarget, KIND_WORD } from './entity-target.ts';
import { KindIcon } from './kind-icon.tsx';

interface Props {
  entity: EntityLike | string;
  /** In tables the name stands alone; elsewhere it is framed, with the icon of its kind. */
  look?: 'chip' | 'plain';
  /** The row's own link in a table: what arrow keys move between. */
  isRowLink?: boolean;
}

/** An entity's name: opens its page, shows its card on hover and focus. */
export function EntityChip({ entity, look = 'chip', isRowLink }: Props) {
  const like = typeof entity === 'string' ? { ref: entity } : entity;
  const parts = parseRef(like.ref);
  const name = entityName(like.ref);
  const attributes = Object.entries(parts?.attributes ?? {}).map(([key, value]) => `${key}=${value}`);
  return (
    <Link
      {...entityTarget(like)}
      className={cx(styles.entity, look === 'chip' ? styles.chip : styles.plain)}
      data-entity={like.ref}
      {...(isRowLink ? { 'data-row-link': '' } : {})}
      aria-label={parts ? `${KIND_WORD[parts.kind]} ${[name, ...attributes].join(' ')}` : name}
    >
      {look === 'chip' && parts ? <KindIcon kind={parts.kind} /> : null}
      <MiddleCut text={[name, ...attributes].join(' ')} />
    </Link>
  );
}

/** An entity's name as people say it. */
export function entityName(ref: string): string {
  const parts = parseRef(ref);
  if (!parts) return ref;
  return parts.kind === 'gpu' || parts.kind === 'mig' ? shortGpuName(parts.name) : parts.name;
}
