import type { Histogram } from '../core/histogram.ts';

/** What a `/metrics` page shows: families of series, each read at the moment of the scrape. */
export interface PageLayout {
  families: readonly Family[];
}

export interface Family {
  name: string;
  type: 'counter' | 'gauge' | 'histogram';
  help: string;
  series: PageSeries[];
}

export interface PageSeries {
  name: string;
  labels: readonly (readonly [string, string])[];
  /** NaN while there is nothing to show: the series is then left out. */
  read: () => number;
  /** Name and labels as the text format writes them. */
  text: string;
}

export interface Page {
  /** The same object as long as the page shows the same series. */
  layout(): PageLayout;
  /** Counters and histograms begin anew at zero, as those of a program that has just started. */
  restart(): void;
}

export type Labels = Readonly<Record<string, string>>;

/** Collects families in the order of their first use. */
export interface PageBuilder {
  gauge(name: string, help: string, labels: Labels, read: () => number): void;
  counter(name: string, help: string, labels: Labels, read: () => number): void;
  histogram(name: string, help: string, labels: Labels, histogram: Histogram): void;
}

/** A page that is laid out again whenever `version` changes. */
export function createPage(build: (page: PageBuilder) => void, version: () => number = () => 0): Page {
  let layout: PageLayout | undefined;
  let laidOut = Number.NaN;
  /** What counters stood at when the page was restarted, by series. */
  const bases = new Map<string, number>();
  return {
    layout() {
      const current = version();
      if (layout && laidOut === current) return layout;
      const { builder, families } = createBuilder();
      build(builder);
      laidOut = current;
      layout = { families: families.map((family) => countedFrom(bases, family)) };
      return layout;
    },
    restart() {
      const { builder, families } = createBuilder();
      build(builder);
      bases.clear();
      for (const { type, series } of families) {
        if (type !== 'gauge') for (const { text, read } of series) bases.set(text, read());
      }
      layout = undefined;
    },
  };
}

function countedFrom(bases: ReadonlyMap<string, number>, family: Family): Family {
  if (bases.size === 0) return family;
  const series = family.series.map((one) => {
    const base = bases.get(one.text);
    return base === undefined || Number.isNaN(base) ? one : { ...one, read: () => one.read() - base };
  });
  return { ...family, series };
}

/** The page in the Prometheus text format 0.0.4. */
export function renderPage(page: Page): string {
  const lines: string[] = [];
  for (const family of page.layout().families) {
    const before = lines.length;
    for (const series of family.series) {
      const value = series.read();
      if (!Number.isNaN(value)) lines.push(`${series.text} ${value}`);
    }
    if (lines.length === before) continue;
    lines.splice(before, 0, `# HELP ${family.name} ${family.help}`, `# TYPE ${family.name} ${family.type}`);
  }
  return `${lines.join('\n')}\n`;
}

function createBuilder(): { builder: PageBuilder; families: Family[] } {
  const byName = new Map<string, Family>();
  const families: Family[] = [];
  const familyOf = (name: string, type: Family['type'], help: string): Family => {
    let family = byName.get(name);
    if (!family) {
      family = { name, type, help, series: [] };
      byName.set(name, family);
      families.push(family);
    }
    return family;
  };
  const add = (family: Family, name: string, labels: [string, string][], read: () => number) => {
    family.series.push({ name, labels, read, text: seriesText(name, labels) });
  };
  const builder: PageBuilder = {
    gauge: (name, help, labels, read) => add(familyOf(name, 'gauge', help), name, Object.entries(labels), read),
    counter: (name, help, labels, read) => add(familyOf(name, 'counter', help), name, Object.entries(labels), read),
    histogram(name, help, labels, histogram) {
      const family = familyOf(name, 'histogram', help);
      const pairs = Object.entries(labels);
      for (let i = 0; i <= histogram.bounds.length; i++) {
        const bound = histogram.bounds[i];
        const le = bound === undefined ? '+Inf' : floatText(bound);
        add(family, `${name}_bucket`, [...pairs, ['le', le]], () => histogram.cumulative(i));
      }
      add(family, `${name}_sum`, pairs, () => histogram.sum);
      add(family, `${name}_count`, pairs, () => histogram.count);
    },
  };
  return { builder, families };
}

/** `1` becomes `1.0`, as Prometheus 3 normalises bucket bounds; so replayed and scraped series are the same. */
function floatText(value: number): string {
  return Number.isInteger(value) ? `${value}.0` : String(value);
}

function seriesText(name: string, labels: readonly (readonly [string, string])[]): string {
  const shown = labels.map(([key, value]) => `${key}="${escapeValue(value)}"`);
  return shown.length > 0 ? `${name}{${shown.join(',')}}` : name;
}

function escapeValue(value: string): string {
  return value.replace(/\\/g, '\\\\').replace(/"/g, '\\"').replace(/\n/g, '\\n');
}
