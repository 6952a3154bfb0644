import { type EntityRef, type EstateSnapshot, parseRef } from '../../model/index.ts';

/** How a person would call the entity: `GPU 2 (GPU-5f2c1a) on gpu-1`, `pod llama-0`, `node gpu-1`. */
export function nameOf(estate: EstateSnapshot, ref: EntityRef): string {
  const entity = estate.get(ref);
  const parts = parseRef(ref);
  const name = entity?.name ?? parts?.name ?? ref;
  const kind = entity?.kind ?? parts?.kind;
  if (kind === 'gpu') {
    const node = estate.from(ref, 'contains', 'node')[0]?.name ?? factText(entity?.facts.node);
    const index = factText(entity?.facts.index);
    return `GPU ${index ? `${index} (${shortUuid(name)})` : shortUuid(name)}${node ? ` on ${node}` : ''}`;
  }
  if (kind === 'pod' || kind === 'node') return `${kind} ${name}`;
  return name;
}

/** The first block of a UUID tells cards apart and fits in a sentence. */
function shortUuid(uuid: string): string {
  return /^(?:GPU|MIG)-[0-9a-f]{8}-/i.test(uuid) ? uuid.slice(0, 12) : uuid;
}

function factText(fact: unknown): string {
  return typeof fact === 'string' || typeof fact === 'number' ? String(fact) : '';
}

/** A value with its unit as operators write it: `142 ms`, `83 %`, `1 215 MHz`. */
export function amount(value: number, unit: string): string {
  if (!Number.isFinite(value)) return 'no value';
  switch (unit) {
    case 's':
      return Math.abs(value) < 1 ? `${significant(value * 1000)} ms` : `${significant(value)} s`;
    case 'ratio':
      return `${significant(value * 100)} %`;
    case 'bytes':
      return `${significant(value / 1_073_741_824)} GiB`;
    case '1':
      return significant(value);
    case '1/s':
      return `${significant(value)}/s`;
    default:
      return `${significant(value)} ${unit}`;
  }
}

/** Three significant digits, thousands apart. */
function significant(value: number): string {
  if (value === 0) return '0';
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  const text = value.toFixed(Math.min(3, digits));
  const trimmed = text.includes('.') ? text.replace(/\.?0+$/, '') : text;
  return trimmed.replace(/\B(?=(\d{3})+(?!\d))/g, trimmed.includes('.') ? '' : ' ');
}

/** `5.9×` */
export function factor(before: number, during: number): string {
  return `${significant(during / before)}×`;
}

export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** `a`, `a and b`, `a, b and 3 more` */
export function listed(names: readonly string[], most = 3): string {
  if (names.length > most) return `${names.slice(0, most - 1).join(', ')} and ${names.length - most + 1} more`;
  return names.length < 2 ? (names[0] ?? '') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}
