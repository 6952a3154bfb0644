import type { TelemetryResponse } from '../../../api/contract/index.ts';
import { Meter } from '../../components/meter.tsx';
import { Moment } from '../../components/moment.tsx';
import { Panel } from '../../components/panel.tsx';
import type { State } from '../../components/state.ts';
import { StateMark } from '../../components/state-mark.tsx';
import { counted, formatValue } from '../../format/index.ts';
import styles from './telemetry.module.css';

/** A turn of an event loop longer than this is felt by whoever waits for an answer. */
const SLOW_TURN_SECONDS = 0.25;

const SPOOL: Readonly<Record<TelemetryResponse['spool']['state'], { state: State; words: string }>> = {
  ok: { state: 'ok', words: 'keeps up' },
  behind: { state: 'warning', words: 'waits for the store' },
  full: { state: 'critical', words: 'is full; senders are told to come back later' },
  'disk-refuses': { state: 'critical', words: 'cannot be written; senders are told to come back later' },
};

/** How the server itself does: what waits to be stored, whether the store is there, and how long its threads are busy. */
export function ServerPanel({ telemetry: { spool, store, loops } }: { telemetry: TelemetryResponse }) {
  const { state, words } = SPOOL[spool.state];
  return (
    <Panel title="This server" note="between the door and the store" flush>
      <div className={styles.part}>
        <StateMark state={store.up ? 'ok' : 'critical'} />
        <span>Store</span>
        <span>
          {store.up ? 'up' : 'down'} since <Moment at={store.since} />, <Moment at={store.since} as="ago" />
        </span>
      </div>
      <div className={styles.part}>
        <StateMark state={state} />
        <span>Spool</span>
        <span className={styles.partWords}>
          <span>
            {words}: {formatValue(spool.bytes, 'bytes')} of {formatValue(spool.maxBytes, 'bytes')}, the oldest{' '}
            {formatValue(spool.oldestSeconds, 's')}
          </span>
          <Meter
            share={spool.maxBytes === 0 ? 0 : spool.bytes / spool.maxBytes}
            label={`${formatValue(spool.bytes, 'bytes')} of ${formatValue(spool.maxBytes, 'bytes')} wait in the spool`}
            state={state}
          />
          {spool.message === undefined ? null : <span>{spool.message}</span>}
        </span>
      </div>
      {spool.refusedFiles > 0 ? (
        <div className={styles.part}>
          <StateMark state="warning" />
          <span>Set aside</span>
          <span>
            {counted(spool.refusedFiles, 'file')} of rows that the store refused or the disk damaged, in{' '}
            <code>spool/refused</code>
          </span>
        </div>
      ) : null}
      {loops.map((loop) => (
        <div key={loop.thread} className={styles.part}>
          <StateMark state={loop.p99Seconds > SLOW_TURN_SECONDS ? 'warning' : 'ok'} />
          <span>{loop.thread === 'main' ? 'Main thread' : 'Ingest thread'}</span>
          <span title="How long something had to wait for its turn, over the last minute">
            turns wait {formatValue(loop.p50Seconds, 's')} at p50, {formatValue(loop.p99Seconds, 's')} at p99,{' '}
            {formatValue(loop.maxSeconds, 's')} at most
          </span>
        </div>
      ))}
    </Panel>
  );
}
