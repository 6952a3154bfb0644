/** Suffixes of Kubernetes quantities, in billionths. */
const SUFFIXES: Readonly<Record<string, bigint>> = {
  n: 1n, u: 10n ** 3n, m: 10n ** 6n, '': 10n ** 9n, k: 10n ** 12n, M: 10n ** 15n, G: 10n ** 18n, T: 10n ** 21n, P: 10n ** 24n, E: 10n ** 27n,
  Ki: 2n ** 10n * 10n ** 9n, Mi: 2n ** 20n * 10n ** 9n, Gi: 2n ** 30n * 10n ** 9n, Ti: 2n ** 40n * 10n ** 9n, Pi: 2n ** 50n * 10n ** 9n, Ei: 2n ** 60n * 10n ** 9n,
}; // biome-ignore format: a table to read

/**
 * A Kubernetes quantity (`250m`, `1.5Gi`, `1e3`) in billionths, exactly; what is finer is rounded up, as Kubernetes
 * does. Undefined when it is none.
 */
export function parseQuantity(text: string): bigint | undefined {
  const match = /^([+-]?)(\d+)?(?:\.(\d*))?(?:[eE]([+-]?\d{1,3})|([numkMGTPE]|[KMGTPE]i)?)$/.exec(text.trim());
  if (!match) return undefined;
  const [, sign, whole = '', fraction = '', exponent = '0', suffix = ''] = match;
  if (whole === '' && fraction === '') return undefined;
  const scale = SUFFIXES[suffix];
  if (scale === undefined) return undefined;
  const power = Number(exponent) - fraction.length;
  const digits = BigInt(whole + fraction) * scale;
  const value = power >= 0 ? digits * 10n ** BigInt(power) : ceilDivide(digits, 10n ** BigInt(-power));
  return sign === '-' ? -value : value;
}

function ceilDivide(value: bigint, by: bigint): bigint {
  return (value + by - 1n) / by;
}

/** As a number of the base unit (cores, bytes, devices). Exact below 2^53. */
export function quantityNumber(text: string | undefined): number | undefined {
  const billionths = text === undefined ? undefined : parseQuantity(text);
  if (billionths === undefined) return undefined;
  const whole = billionths / 1_000_000_000n;
  return Number(whole) + Number(billionths - whole * 1_000_000_000n) / 1e9;
}

/** Whether two quantities are the same amount (`1000m` and `1`). */
export function sameQuantity(a: string | undefined, b: string | undefined): boolean {
  if (a === b) return true;
  if (a === undefined || b === undefined) return false;
  const amount = parseQuantity(a);
  return amount !== undefined && amount === parseQuantity(b);
}

/** Resource names that hand out GPUs. MIG slices and shared cards count as devices of their own. */
const GPU_RESOURCE = /^(nvidia\.com\/(gpu(\.shared)?|mig-.+)|amd\.com\/gpu|gpu\.intel\.com\/(i915|xe))$/;

/** GPUs (whole, shared or MIG) that a resource list holds. */
export function gpuCount(resources: Readonly<Record<string, string>> | undefined): number {
  let count = 0;
  for (const [name, amount] of Object.entries(resources ?? {}))
    if (GPU_RESOURCE.test(name)) count += quantityNumber(amount) ?? 0;
  return count;
}
