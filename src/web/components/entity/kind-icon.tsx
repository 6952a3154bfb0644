import {
  IconAffiliate,
  IconBinary,
  IconBox,
  IconContainer,
  IconCpu2,
  IconDatabase,
  IconHexagons,
  IconMessageChatbot,
  IconServer2,
  IconStack2,
  IconTopologyStar3,
} from '@tabler/icons-react';
import type { EntityKind } from '../../../model/index.ts';

const ICONS: Partial<Record<EntityKind, typeof IconBox>> = {
  cluster: IconHexagons,
  node: IconServer2,
  machine: IconServer2,
  vm: IconServer2,
  gpu: IconCpu2,
  mig: IconCpu2,
  namespace: IconAffiliate,
  workload: IconStack2,
  pod: IconBox,
  container: IconContainer,
  model: IconMessageChatbot,
  service: IconTopologyStar3,
  dependency: IconDatabase,
  volume: IconDatabase,
};

/** The icon of a kind of entity, in ink. */
export function KindIcon({ kind, size = 14 }: { kind: EntityKind; size?: number }) {
  const Icon = ICONS[kind] ?? IconBinary;
  return <Icon size={size} stroke={1.5} aria-hidden="true" />;
}
