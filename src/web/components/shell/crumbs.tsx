import { Link, useRouterState } from '@tanstack/react-router';
import { formatRef, parseRef } from '../../../model/index.ts';
import { EntityChip } from '../entity/entity-chip.tsx';
import { NAVIGATION, SUBPAGES } from './navigation.ts';
import styles from './top-bar.module.css';

/** Where the page stands: its list, then its entity. */
export function Crumbs() {
  const { pathname, params } = useRouterState({
    select: (state) => ({
      pathname: state.location.pathname,
      // The router knows the parameters page by page; here any of them is read by its name.
      params: state.matches.at(-1)?.params as Record<string, string> | undefined,
    }),
    structuralSharing: true,
  });
  const entity = entityOf(pathname, params ?? {});
  const list =
    NAVIGATION.find(({ to, under }) =>
      to === '/' ? pathname === '/' : pathname === to || pathname.startsWith(`${under ?? to}/`),
    ) ?? listOf(entity);
  const isList = list?.to === pathname || (list === undefined && entity === undefined);
  const rest = SUBPAGES.find(({ to }) => to === pathname)?.label ?? params?.id ?? params?._splat;
  return (
    <nav className={styles.crumbs} aria-label="Breadcrumb">
      {list ? (
        isList ? (
          <span className={styles.here}>{list.label}</span>
        ) : (
          <Link to={list.to} className={styles.crumb}>
            {list.label}
          </Link>
        )
      ) : null}
      {!isList && entity !== undefined ? (
        <>
          {list ? <span className={styles.slash}>/</span> : null}
          <EntityChip entity={entity} look="plain" />
          <Whereabouts entity={entity} />
        </>
      ) : null}
      {!isList && entity === undefined && rest !== undefined ? (
        <>
          <span className={styles.slash}>/</span>
          <span className={styles.here}>{rest}</span>
        </>
      ) : null}
    </nav>
  );
}

function Whereabouts({ entity }: { entity: string }) {
  const parts = parseRef(entity);
  return parts ? (
    <span className={styles.crumb}>
      {[parts.namespace, parts.cluster].filter((part) => part !== '' && part !== parts.name).join(' · ')}
    </span>
  ) : null;
}

function entityOf(pathname: string, params: Record<string, string>): string | undefined {
  if (params._splat !== undefined) return params._splat;
  if (!pathname.startsWith('/models/')) return undefined;
  return formatRef(
    'model',
    params.cluster ?? '',
    params.namespace === '-' ? '' : (params.namespace ?? ''),
    params.name ?? '',
  );
}

function listOf(entity: string | undefined) {
  const kind = entity?.split(':')[0] ?? '';
  const to = ['workload', 'pod', 'container'].includes(kind)
    ? '/workloads'
    : ['node', 'gpu', 'mig'].includes(kind)
      ? '/gpus'
      : undefined;
  return NAVIGATION.find((entry) => entry.to === to);
}
