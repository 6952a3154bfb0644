/** Cores as Kubernetes prints them: `2`, `500m`. */
export function cpuQuantity(cores: number): string {
  return Number.isInteger(cores) ? String(cores) : `${Math.round(cores * 1000)}m`;
}

/** Bytes in the largest binary unit that divides them: `4Gi`, `170Mi`. */
export function memoryQuantity(bytes: number): string {
  for (const [unit, size] of UNITS) if (bytes % size === 0) return `${bytes / size}${unit}`;
  return String(Math.round(bytes));
}

/** The number a quantity stands for: cores, bytes or a count. Throws on text that is no quantity. */
export function parseQuantity(text: string): number {
  const match = /^([0-9.]+)([A-Za-z]*)$/.exec(text);
  const factor = match?.[2] === '' ? 1 : match?.[2] === 'm' ? 0.001 : UNITS.find(([unit]) => unit === match?.[2])?.[1];
  if (!match || factor === undefined) throw new Error(`not a quantity: ${text}`);
  return Number(match[1]) * factor;
}

const UNITS: [string, number][] = [
  ['Ti', 2 ** 40],
  ['Gi', 2 ** 30],
  ['Mi', 2 ** 20],
  ['Ki', 2 ** 10],
];
