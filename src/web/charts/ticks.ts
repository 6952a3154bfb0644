/** Up to five round numbers from 0 (or below) to just under or over `max`, in steps of 1, 2, 2.5 or 5 of the unit's own scale. */
export function niceTicks(min: number, max: number, divisor = 1, most = 4): number[] {
  const span = (max - min) / divisor;
  if (!(span > 0)) return [min];
  const raw = span / most;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = ([1, 2, 2.5, 5, 10].find((n) => n * power >= raw * 0.999) ?? 10) * power * divisor;
  const ticks: number[] = [];
  for (let tick = Math.ceil(min / step - 1e-9) * step; tick <= max + step * 1e-9; tick += step)
    ticks.push(tick === 0 ? 0 : tick);
  return ticks;
}
