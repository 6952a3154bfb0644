/** How a unit is written: its symbol, which prefixes scale it, and what is special about it. */
export interface Unit {
  symbol: string;
  kind: 'seconds' | 'binary' | 'decimal' | 'count' | 'share' | 'plain';
  /** Multiplies the raw value first, e.g. 0.01 for a percentage given as 0 to 100. */
  factor?: number;
  maxDecimals?: number;
  /** Written without a space before it, as `2.1×`. */
  tight?: boolean;
}

const UNITS: Readonly<Record<string, Unit>> = {
  s: { symbol: 's', kind: 'seconds' },
  ms: { symbol: 's', kind: 'seconds', factor: 1e-3 },
  B: { symbol: 'B', kind: 'binary' },
  ratio: { symbol: '%', kind: 'share' },
  percent: { symbol: '%', kind: 'share', factor: 0.01 },
  Hz: { symbol: 'Hz', kind: 'decimal' },
  MHz: { symbol: 'Hz', kind: 'decimal', factor: 1e6 },
  W: { symbol: 'W', kind: 'decimal' },
  J: { symbol: 'J', kind: 'decimal' },
  celsius: { symbol: '°C', kind: 'plain', maxDecimals: 0 },
  cores: { symbol: 'cores', kind: 'plain' },
  times: { symbol: '×', kind: 'plain', tight: true },
  none: { symbol: '', kind: 'count' },
};

const ALIASES: Readonly<Record<string, string>> = {
  seconds: 's', second: 's', sec: 's', milliseconds: 'ms', bytes: 'B', byte: 'B', By: 'B', '%': 'percent', share: 'ratio', fraction: 'ratio',
  hertz: 'Hz', hz: 'Hz', megahertz: 'MHz', watts: 'W', watt: 'W', joules: 'J', '°C': 'celsius', C: 'celsius', Cel: 'celsius', degC: 'celsius',
  core: 'cores', cpu: 'cores', x: 'times', '×': 'times', '': 'none', '1': 'none', count: 'none', none: 'none', number: 'none',
  boolean: 'none', bool: 'none', state: 'none',
}; // biome-ignore format: a table to read

const SHORT: Readonly<Record<string, string>> = {
  requests: 'req', request: 'req', tokens: 'tok', token: 'tok', operations: 'ops', bytes: 'B', By: 'B',
}; // biome-ignore format: a table to read

/** The writing of a unit by the name under which the catalogue knows it; an unknown one stands behind its number as it is. */
export function unitOf(name: string): Unit {
  const known = UNITS[ALIASES[name] ?? name];
  if (known) return known;
  const rate = /^(.*)\/(s|second|min)$/.exec(name);
  if (rate) return { symbol: perTime(rate[1] ?? '', rate[2] === 'min' ? 'min' : 's'), kind: 'decimal' };
  return { symbol: SHORT[name] ?? name, kind: 'count' };
}

function perTime(counted: string, time: string): string {
  const symbol = SHORT[counted] ?? (counted === '1' ? '' : counted);
  return symbol === '' ? `/${time}` : `${symbol}/${time}`;
}
