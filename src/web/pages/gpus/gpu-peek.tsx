import { CloseButton } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { formatRef } from '../../../model/index.ts';
import { SignalPanel } from '../../charts/signal-panel.tsx';
import { EntityChip } from '../../components/entity/entity-chip.tsx';
import { entityTarget } from '../../components/entity/entity-target.ts';
import layout from '../../components/layout.module.css';
import { Panel } from '../../components/panel.tsx';
import { Peek } from '../../components/peek.tsx';
import { StateMark } from '../../components/state-mark.tsx';
import { WhyButton } from '../../components/why-button.tsx';
import { formatValue, shortGpuName } from '../../format/index.ts';
import styles from './gpu-peek.module.css';
import type { Gpu } from './use-gpus.ts';

/** The selected GPU beside the list; arrows in the list walk it along. */
export function GpuPeek({ gpu, onClose }: { gpu: Gpu; onClose: () => void }) {
  const { ref } = gpu.entity;
  return (
    <Peek label="Selected GPU" subject={ref}>
      <Panel
        title={shortGpuName(gpu.entity.name)}
        actions={<CloseButton size="sm" aria-label="Close" onClick={onClose} />}
      >
        <p className={styles.words}>
          <StateMark state={gpu.state} /> {gpu.words}
        </p>
        <p className={styles.words}>
          {gpu.users.length === 0 ? 'free' : gpu.users.map((user) => <EntityChip key={user} entity={user} />)}
          <EntityChip entity={formatRef('node', gpu.entity.cluster, '', gpu.node)} />
        </p>
        <p className={`${styles.words} ${layout.secondary}`}>
          {String(gpu.entity.facts.model ?? '')}, {formatValue(gpu.memory, 'bytes')} of{' '}
          {formatValue(gpu.memoryTotal, 'bytes')} used
        </p>
        <div className={layout.row}>
          <Link {...entityTarget(gpu.entity)}>Open its page</Link>
          <WhyButton subject={ref} />
        </div>
      </Panel>
      <SignalPanel
        title="SM clock"
        height={88}
        signals={[{ name: 'gpu.sm_clock', entity: ref, label: 'clock', slot: 0 }]}
      />
      <SignalPanel
        title="Temperature"
        height={88}
        signals={[{ name: 'gpu.temperature', entity: ref, label: 'core', slot: 3 }]}
      />
      <SignalPanel title="Power" height={88} signals={[{ name: 'gpu.power', entity: ref, label: 'drawn', slot: 0 }]} />
      <SignalPanel
        title="Activity"
        height={88}
        signals={[
          { name: 'gpu.sm_active', entity: ref, label: 'SM', slot: 0 },
          { name: 'gpu.tensor_active', entity: ref, label: 'tensor', slot: 1 },
        ]}
      />
    </Peek>
  );
}
