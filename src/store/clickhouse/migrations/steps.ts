import { signals } from './001-signals.ts';
import { traceTimes } from './002-trace-times.ts';
import { search } from './003-search.ts';
import { scopesAndLinks } from './004-scopes-and-links.ts';
import { histograms } from './005-histograms.ts';
import { lateSamples } from './006-late-samples.ts';
import type { Migration } from './migration.ts';

/** Every step from an empty database to the newest schema, in order. */
export const migrations: readonly Migration[] = [signals, traceTimes, search, scopesAndLinks, histograms, lateSamples];
