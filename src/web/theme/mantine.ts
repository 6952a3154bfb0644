import {
  type CSSVariablesResolver,
  createTheme,
  defaultVariantColorsResolver,
  localStorageColorSchemeManager,
  type MantineColorsTuple,
  type VariantColorsResolver,
} from '@mantine/core';

const ACCENT: MantineColorsTuple = [
  '#eef2ff', '#e3ebff', '#c3d0ff', '#9db3ff', '#7396fe', '#5b7deb', '#3e5cc7', '#3550b0', '#2c4394', '#233678',
]; // biome-ignore format: shades in one line

/** Mantine's variants in our tokens: v9 picks shade 0 or 9 where no shade is named, which reads as plain black or white. */
const variantColorResolver: VariantColorsResolver = (input) => {
  if (input.variant === 'filled' && (input.color === undefined || input.color === input.theme.primaryColor)) {
    const solid = 'var(--accent-solid)';
    return {
      background: solid,
      hover: `color-mix(in srgb, ${solid} 88%, var(--text-primary))`,
      color: 'var(--accent-on-solid)',
      border: '1px solid transparent',
    };
  }
  if (input.variant === 'subtle' || input.variant === 'transparent') {
    return {
      background: 'transparent',
      hover: input.variant === 'subtle' ? 'var(--bg-hover)' : 'transparent',
      color: 'var(--text-secondary)',
      border: '1px solid transparent',
    };
  }
  if (input.variant === 'default' || input.variant === 'outline' || input.variant === 'light') {
    return {
      background: 'var(--bg-surface)',
      hover: 'var(--bg-hover)',
      color: 'var(--text-primary)',
      border: '1px solid var(--line-normal)',
    };
  }
  return defaultVariantColorsResolver(input);
};

export const theme = createTheme({
  fontFamily: 'var(--font-sans)',
  fontFamilyMonospace: 'var(--font-mono-family)',
  fontSizes: { xs: '12px', sm: '13px', md: '13px', lg: '15px', xl: '20px' },
  lineHeights: { xs: '16px', sm: '20px', md: '20px', lg: '20px', xl: '28px' },
  radius: { xs: '3px', sm: '3px', md: '6px', lg: '8px', xl: '8px' },
  defaultRadius: 'sm',
  spacing: { xs: '4px', sm: '8px', md: '12px', lg: '16px', xl: '24px' },
  primaryColor: 'accent',
  primaryShade: { light: 6, dark: 5 },
  colors: { accent: ACCENT },
  cursorType: 'pointer',
  respectReducedMotion: true,
  variantColorResolver,
});

export const cssVariablesResolver: CSSVariablesResolver = () => ({
  variables: {
    '--mantine-color-body': 'var(--bg-surface)',
    '--mantine-color-text': 'var(--text-primary)',
    '--mantine-color-dimmed': 'var(--text-muted)',
    '--mantine-color-placeholder': 'var(--text-muted)',
    '--mantine-color-anchor': 'var(--accent)',
    '--mantine-color-default': 'var(--bg-surface)',
    '--mantine-color-default-hover': 'var(--bg-hover)',
    '--mantine-color-default-color': 'var(--text-primary)',
    '--mantine-color-default-border': 'var(--line-normal)',
    '--mantine-color-error': 'var(--critical-text)',
    '--mantine-shadow-xs': 'none',
    '--mantine-shadow-sm': 'var(--shadow-float)',
    '--mantine-shadow-md': 'var(--shadow-float)',
    '--mantine-shadow-lg': 'var(--shadow-float)',
    '--mantine-shadow-xl': 'var(--shadow-float)',
    '--mantine-z-index-popover': '300',
  },
  light: {},
  dark: {},
});

export const colorSchemeManager = localStorageColorSchemeManager({ key: 'trifocal-color-scheme' });
