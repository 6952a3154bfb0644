import { namespaced } from './identity.ts';
import type { SourceSystem } from './source.ts';

/** `container=""` is the pod's own cgroup and `POD` the pause container: with either, everything would count twice. */
const REAL = 'container!="",container!="POD"';

/** cAdvisor inside the kubelet (`/metrics/cadvisor`). */
export const cadvisor: SourceSystem = {
  name: 'cadvisor',
  howTo: "Scrape every kubelet's /metrics/cadvisor.",
  tables: [
    {
      home: 'pod',
      identities: [
        namespaced('pod', 'namespace', 'pod'),
        namespaced('pod', 'exported_namespace', 'exported_pod'),
        namespaced('pod', 'namespace', 'pod_name'),
      ],
      signals: {
        'container.cpu.usage': { kind: 'counter', names: ['container_cpu_usage_seconds_total'], where: REAL },
        'container.cpu.throttled_ratio': {
          kind: 'share',
          part: { kind: 'counter', names: ['container_cpu_cfs_throttled_periods_total'], where: REAL },
          whole: { kind: 'counter', names: ['container_cpu_cfs_periods_total'], where: REAL },
        },
        'container.memory.working_set': { kind: 'gauge', names: ['container_memory_working_set_bytes'], where: REAL },
        // 0 means no limit.
        'container.memory.limit': {
          kind: 'custom',
          expression: ({ matchers }) => `container_spec_memory_limit_bytes{${matchers},${REAL}} > 0`,
        },
      },
    },
  ],
};
