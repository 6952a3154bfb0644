import { instanceAt, named } from './identity.ts';
import { by, type RecipeContext, selector } from './recipe.ts';
import type { SourceSystem } from './source.ts';

/** Prometheus' node_exporter on Linux. */
export const nodeExporter: SourceSystem = {
  name: 'node-exporter',
  howTo: 'Run node_exporter on every node and scrape its port 9100 with a label node.',
  tables: [
    {
      home: 'node',
      identities: [named('node'), named('kubernetes_node'), named('nodename'), instanceAt('internalIP')],
      signals: {
        'node.cpu.usage': { kind: 'custom', expression: (query) => `1 - ${cpuShare('idle', query)}` },
        'node.cpu.steal': { kind: 'custom', expression: (query) => cpuShare('steal', query) },
        'node.cpu.pressure': { kind: 'counter', names: ['node_pressure_cpu_waiting_seconds_total'] },
        'node.memory.available': {
          kind: 'share',
          part: { kind: 'gauge', names: ['node_memory_MemAvailable_bytes'] },
          whole: { kind: 'gauge', names: ['node_memory_MemTotal_bytes'] },
        },
        'node.memory.pressure': { kind: 'counter', names: ['node_pressure_memory_waiting_seconds_total'] },
        'node.disk.used_ratio': { kind: 'custom', expression: diskUsed },
        'node.disk.io_time': { kind: 'counter', names: ['node_disk_io_time_seconds_total'] },
        'node.net.retransmits': {
          kind: 'share',
          part: { kind: 'counter', names: ['node_netstat_Tcp_RetransSegs'] },
          whole: { kind: 'counter', names: ['node_netstat_Tcp_OutSegs'] },
        },
        'node.net.drops': { kind: 'custom', expression: drops },
        'node.clock_offset': {
          kind: 'custom',
          expression: ({ matchers }) => `abs(node_timex_offset_seconds{${matchers}})`,
        },
        'node.hardware.errors': { kind: 'counter', names: ['node_edac_uncorrectable_errors_total'] },
      },
      enable: {
        'node.cpu.pressure': 'Run node_exporter with the pressure collector on a kernel with PSI (psi=1).',
        'node.memory.pressure': 'Run node_exporter with the pressure collector on a kernel with PSI (psi=1).',
        'node.hardware.errors': 'Run node_exporter with the edac collector on hardware that reports memory errors.',
      },
    },
  ],
};

/** Share of all CPUs' time in one mode. */
function cpuShare(mode: string, { matchers, range, grain }: RecipeContext): string {
  return `avg${by(grain)} (rate(${selector('node_cpu_seconds_total', matchers, `mode="${mode}"`)}[${range}]))`;
}

function diskUsed({ matchers }: RecipeContext): string {
  const real = 'fstype!~"tmpfs|overlay|squashfs|ramfs|iso9660"';
  return `1 - ${selector('node_filesystem_avail_bytes', matchers, real)} / ${selector('node_filesystem_size_bytes', matchers, real)}`;
}

/** Interfaces of pods and bridges repeat what the physical ones see. */
function drops({ matchers, range, grain }: RecipeContext): string {
  const real = 'device!~"lo|veth.*|cali.*|cni.*|docker.*|flannel.*|lxc.*|br-.*"';
  const rate = (direction: string) =>
    `sum${by(grain)} (rate(${selector(`node_network_${direction}_drop_total`, matchers, real)}[${range}]))`;
  return `${rate('receive')} + ${rate('transmit')}`;
}
