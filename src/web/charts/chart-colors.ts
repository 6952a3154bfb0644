import { useComputedColorScheme } from '@mantine/core';
import { useMemo } from 'react';
import type { PlotColors } from './plot.ts';

export interface ChartColors extends PlotColors {
  series: readonly string[];
  /** For a stretch of time that is set apart. */
  shade: string;
  rest: string;
}

/** The tokens that a canvas needs, read anew when the theme changes. */
export function useChartColors(): ChartColors {
  const scheme = useComputedColorScheme();
  return useMemo(() => {
    const style = getComputedStyle(document.documentElement);
    const token = (name: string) => style.getPropertyValue(`--${name}`).trim();
    return {
      grid: token('line-subtle'),
      text: token('text-muted'),
      hatch: token('line-subtle'),
      threshold: token('warning-mark'),
      shade: scheme === 'dark' ? '#ffffff0d' : '#1a1e250a',
      rest: token('line-normal'),
      series: Array.from({ length: 12 }, (_, i) => token(`series-${i + 1}`)),
    };
  }, [scheme]);
}
