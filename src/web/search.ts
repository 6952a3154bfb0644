/** What a page's address says. Defaults are left out, so that a plain link is a short one. */
export interface PageSearch {
  /** One cluster's name; left out: all. */
  cluster?: string;
  /** `now-1h`, RFC 3339. Left out: the last hour. */
  from?: string;
  to?: string;
  /** What charts are compared with; left out: nothing. */
  compare?: 'previous' | 'day' | 'week';
  tz?: 'utc';
  /** Filter of the page's list. */
  q?: string;
  /** The selected row. */
  sel?: string;
  tab?: string;
  /** Column of the page's list, `-` in front for descending. */
  sort?: string;
}

export const DEFAULT_FROM = 'now-1h';
export const DEFAULT_TO = 'now';

/** What stays when one page leads to another. */
export const KEPT = ['cluster', 'from', 'to', 'compare', 'tz'] as const;

/** Reads an address however it was written; what is not understood counts as not there. */
export function readSearch(raw: Record<string, unknown>): PageSearch {
  const text = (key: string, otherwise?: string) => {
    const value = raw[key];
    return typeof value === 'string' && value !== '' && value !== otherwise && value.length <= 2048 ? value : undefined;
  };
  const compare = COMPARE.find((known) => known === raw.compare);
  const pairs: [keyof PageSearch, string | undefined][] = [
    ['cluster', text('cluster')],
    ['from', text('from', DEFAULT_FROM)],
    ['to', text('to', DEFAULT_TO)],
    ['compare', compare],
    ['tz', raw.tz === 'utc' ? 'utc' : undefined],
    ['q', text('q')],
    ['sel', text('sel')],
    ['tab', text('tab')],
    ['sort', text('sort')],
  ];
  // Every key is given its own type's values above.
  return Object.fromEntries(pairs.filter(([, value]) => value !== undefined)) as PageSearch;
}

/** `?a=b` to an object of strings, without guessing numbers or JSON. */
export function parseSearch(text: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(text));
}

/** Back to `?a=b`, with the characters that make references and times readable left as they are. */
export function stringifySearch(search: Record<string, unknown>): string {
  const pairs = Object.entries(search)
    .filter(([, value]) => value !== undefined && value !== '')
    .map(([key, value]) => `${encodeURIComponent(key)}=${readable(String(value))}`);
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

const COMPARE = ['previous', 'day', 'week'] as const;

function readable(value: string): string {
  return encodeURIComponent(value).replace(/%(3A|2F|2C|40|24)/g, decodeURIComponent);
}
