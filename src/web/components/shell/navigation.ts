import {
  IconActivityHeartbeat,
  IconAntennaBars5,
  IconChartLine,
  IconCpu2,
  IconEyeOff,
  IconListDetails,
  IconMessageChatbot,
  IconStack2,
  IconStackPush,
  IconStairs,
  IconZoomQuestion,
} from '@tabler/icons-react';

export interface NavigationEntry {
  /** One of the router's paths without parameters. */
  to:
    | '/'
    | '/models'
    | '/workloads'
    | '/gpus'
    | '/explore/metrics'
    | '/explore/logs'
    | '/explore/traces'
    | '/investigations'
    | '/telemetry';
  label: string;
  icon: typeof IconStack2;
  /** The second key after `g`. */
  key: string;
  group?: 'Explore';
  /** Where the pages of its single items are, when not under its own address. */
  under?: string;
}

/** Pages that stand under one of the rail's, for the palette and the breadcrumb. */
export const SUBPAGES = [
  { to: '/telemetry/cardinality', label: 'Cardinality', parent: 'Telemetry', icon: IconStackPush },
  { to: '/telemetry/redaction', label: 'Redaction', parent: 'Telemetry', icon: IconEyeOff },
] as const;

/** The rail, the palette's pages and the `g` keys. A page enters when it exists. */
export const NAVIGATION: readonly NavigationEntry[] = [
  { to: '/', label: 'Overview', icon: IconActivityHeartbeat, key: 'o' },
  { to: '/models', label: 'Models', icon: IconMessageChatbot, key: 'm' },
  { to: '/workloads', label: 'Workloads', icon: IconStack2, key: 'w' },
  { to: '/gpus', label: 'Nodes & GPUs', icon: IconCpu2, key: 'n' },
  { to: '/explore/metrics', label: 'Metrics', icon: IconChartLine, key: 'e', group: 'Explore' },
  { to: '/explore/logs', label: 'Logs', icon: IconListDetails, key: 'l', group: 'Explore' },
  { to: '/explore/traces', label: 'Traces', icon: IconStairs, key: 't', group: 'Explore', under: '/traces' },
  { to: '/investigations', label: 'Investigations', icon: IconZoomQuestion, key: 'i' },
  { to: '/telemetry', label: 'Telemetry', icon: IconAntennaBars5, key: 'y' },
];
