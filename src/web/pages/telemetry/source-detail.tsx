import { CloseButton } from '@mantine/core';
import { protocolWords } from '../../../model/index.ts';
import { Moment } from '../../components/moment.tsx';
import { Panel } from '../../components/panel.tsx';
import { Peek } from '../../components/peek.tsx';
import { StateMark } from '../../components/state-mark.tsx';
import { hasLeft, lookOf, type Source, sourceKey, sourceName } from '../../components/telemetry/source-state.ts';
import { ABSENT, coarse, formatDuration, formatValue, sentence } from '../../format/index.ts';
import { useNow } from '../../page.ts';
import { MinuteBars } from './minute-bars.tsx';
import styles from './telemetry.module.css';
import { howBad } from './verdict.ts';

/** Pauses are averages: more than whole seconds would say too much. */
function rhythm(seconds: number): string {
  if (seconds < 0.75) return 'several times a second';
  return seconds < 1.5 ? 'every second' : `every ${coarse(Math.round(seconds))}`;
}

/** One sender beside the list: since when it is as it is, what to check, and its numbers. */
export function SourceDetail({ source, onClose }: { source: Source; onClose: () => void }) {
  const now = useNow();
  const silent = source.lastSeen === null ? 60 : Math.floor((now - Date.parse(source.lastSeen)) / 60_000);
  const facts: [string, React.ReactNode][] = [
    ['Protocol', protocolWords(source.kind)],
    ['Cluster', source.cluster],
    ['Last seen', source.lastSeen === null ? 'never' : <Moment key="seen" at={source.lastSeen} as="second" />],
    ['Usual pause', source.usualPauseSeconds === null ? ABSENT : formatDuration(source.usualPauseSeconds)],
    ['Lag', source.lagSeconds === null ? ABSENT : formatDuration(source.lagSeconds)],
    ['Gaps', formatValue(source.gaps, '')],
    ['Per second', formatValue(source.perSecond, '')],
    ['Requests', formatValue(source.requests, '')],
    ['Signals', formatValue(source.items, '')],
    ['Bytes on the wire', formatValue(source.bytes, 'bytes')],
    ['Dropped', formatValue(source.dropped, '')],
    ['Sent again', formatValue(source.repeated, '')],
  ];
  return (
    <Peek label="Selected source" subject={sourceKey(source)}>
      <Panel title={sourceName(source)} actions={<CloseButton size="sm" aria-label="Close" onClick={onClose} />}>
        <p className={styles.words}>
          <StateMark state={lookOf(source).state} /> It {howBad(source, now)}
          {source.state === 'silent' && source.lastSeen !== null && !hasLeft(source) ? (
            <>
              , since <Moment at={source.lastSeen} as="second" />
            </>
          ) : null}
          . {source.usualPauseSeconds === null ? null : `It usually sends ${rhythm(source.usualPauseSeconds)}.`}
        </p>
        {source.state === 'connected' || hasLeft(source) ? null : (
          <p className={styles.check}>
            {sentence(
              source.message ?? 'Is it running, and can it reach this server? Its own log says what it is answered.',
            )}
          </p>
        )}
        <MinuteBars
          counts={source.perMinute}
          silentMinutes={source.state === 'silent' ? silent : 0}
          label={`Signals per minute of ${sourceName(source)} in the last hour`}
        />
        <dl className={styles.facts}>
          {facts.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      </Panel>
    </Peek>
  );
}
