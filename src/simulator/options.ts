import { parseArgs } from 'node:util';
import { parseDuration } from '../model/index.ts';
import { FAULTS, type FaultId, isFault } from './faults.ts';

export interface SimulatorOptions {
  trifocal: string;
  otlp: string;
  seed: number;
  historyMs: number;
  fault: FaultId | undefined;
  /** How long before the present the fault began. */
  faultStartedMs: number;
  /** Simulated seconds per real second once live. */
  speed: number;
}

/** The command line of the simulator. Throws an Error that says which flag is wrong. */
export function parseOptions(args: string[]): SimulatorOptions {
  const { values } = parseArgs({
    args,
    options: {
      trifocal: { type: 'string', default: 'http://127.0.0.1:4319' },
      otlp: { type: 'string', default: 'http://127.0.0.1:4318' },
      seed: { type: 'string', default: '1' },
      history: { type: 'string', default: '1h' },
      fault: { type: 'string', default: 'none' },
      'fault-started': { type: 'string', default: '15m' },
      speed: { type: 'string', default: '1' },
    },
  });
  const { fault } = values;
  if (fault !== 'none' && !isFault(fault)) throw new Error(`--fault: ${fault} is none of none, ${FAULTS.join(', ')}`);
  return {
    trifocal: url('--trifocal', values.trifocal),
    otlp: url('--otlp', values.otlp),
    seed: number('--seed', values.seed),
    historyMs: duration('--history', values.history),
    fault: fault === 'none' ? undefined : fault,
    faultStartedMs: duration('--fault-started', values['fault-started']),
    speed: number('--speed', values.speed),
  };
}

function url(flag: string, text: string): string {
  if (!URL.canParse(text)) throw new Error(`${flag}: ${text} is not a URL`);
  return text.replace(/\/$/, '');
}

function duration(flag: string, text: string): number {
  const ms = parseDuration(text);
  if (ms === undefined) throw new Error(`${flag}: ${text} is not a duration like 1h or 15m`);
  return ms;
}

function number(flag: string, text: string): number {
  const value = Number(text);
  if (!Number.isFinite(value)) throw new Error(`${flag}: ${text} is not a number`);
  return value;
}
