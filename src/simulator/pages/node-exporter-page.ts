import type { Machine } from '../hardware/machine.ts';
import { KERNEL } from '../kubernetes/build-objects.ts';
import { createPage, type Page, type PageBuilder } from './page.ts';

const CPU_MODES = ['idle', 'iowait', 'irq', 'nice', 'softirq', 'steal', 'system', 'user'] as const;
const TIB = 2 ** 40;

/** `/metrics` of node_exporter. The cores of a machine share its work evenly. */
export function nodeExporterPage(machine: Machine, now: () => number): Page {
  return createPage((page) => {
    addCpu(page, machine);
    addMemory(page, machine);
    addPressure(page, machine);
    addDisk(page, machine);
    addNetwork(page, machine);
    addSystem(page, machine, now);
  });
}

function addCpu(page: PageBuilder, machine: Machine): void {
  const { cores } = machine.plan;
  for (let cpu = 0; cpu < cores; cpu++) {
    for (const mode of CPU_MODES) {
      const help = 'Seconds the CPUs spent in each mode.';
      page.counter('node_cpu_seconds_total', help, { cpu: String(cpu), mode }, () =>
        hundredth(machine.cpu[mode] / cores),
      );
    }
  }
  page.gauge('node_load1', '1m load average.', {}, () => hundredth(machine.load1));
  page.counter('node_context_switches_total', 'Total number of context switches.', {}, () =>
    Math.round(machine.contextSwitches),
  );
}

function addMemory(page: PageBuilder, machine: Machine): void {
  const total = machine.plan.memoryBytes;
  const memory = (field: string, read: () => number) =>
    page.gauge(`node_memory_${field}_bytes`, `Memory information field ${field}_bytes.`, {}, () => Math.round(read()));
  memory('MemTotal', () => total);
  memory('MemAvailable', () => total - machine.usedMemoryBytes);
  memory('MemFree', () => (total - machine.usedMemoryBytes) * 0.55);
  memory('Cached', () => (total - machine.usedMemoryBytes) * 0.42);
  memory('Buffers', () => total * 0.002);
  memory('SwapTotal', () => 0);
  memory('SwapFree', () => 0);
  page.counter('node_vmstat_oom_kill', '/proc/vmstat information field oom_kill.', {}, () => 0);
  page.counter('node_vmstat_pgmajfault', '/proc/vmstat information field pgmajfault.', {}, () => 18_204);
}

function addPressure(page: PageBuilder, machine: Machine): void {
  const counter = (name: string, help: string, read: () => number) =>
    page.counter(`node_pressure_${name}`, help, {}, read);
  counter(
    'cpu_waiting_seconds_total',
    'Total time in seconds that processes have waited for CPU time',
    () => machine.cpuWaitingSeconds,
  );
  counter(
    'io_waiting_seconds_total',
    'Total time in seconds that processes have waited due to IO congestion',
    () => machine.ioWaitingSeconds,
  );
  counter(
    'io_stalled_seconds_total',
    'Total time in seconds no process could make progress due to IO congestion',
    () => machine.ioWaitingSeconds * 0.7,
  );
  counter('memory_waiting_seconds_total', 'Total time in seconds that processes have waited for memory', () => 0);
  counter(
    'memory_stalled_seconds_total',
    'Total time in seconds no process could make progress due to memory congestion',
    () => 0,
  );
}

function addDisk(page: PageBuilder, machine: Machine): void {
  const root = { device: '/dev/nvme0n1p2', fstype: 'ext4', mountpoint: '/' };
  const size = 1.72 * TIB;
  page.gauge('node_filesystem_size_bytes', 'Filesystem size in bytes.', root, () => Math.round(size));
  page.gauge('node_filesystem_avail_bytes', 'Filesystem space available to non-root users in bytes.', root, () =>
    Math.round(size - machine.diskUsedBytes),
  );
  page.gauge('node_filesystem_free_bytes', 'Filesystem free space in bytes.', root, () =>
    Math.round(size - machine.diskUsedBytes * 0.98),
  );
  page.gauge('node_filesystem_files', 'Filesystem total file nodes.', root, () => 115_212_288);
  page.gauge('node_filesystem_files_free', 'Filesystem total free file nodes.', root, () => 113_804_115);
  page.gauge('node_filesystem_readonly', 'Filesystem read-only status.', root, () => 0);
  const disk = { device: 'nvme0n1' };
  page.counter('node_disk_io_time_seconds_total', 'Total seconds spent doing I/Os.', disk, () => machine.diskIoSeconds);
  page.counter('node_disk_read_bytes_total', 'The total number of bytes read successfully.', disk, () =>
    Math.round(machine.diskReadBytes),
  );
  page.counter('node_disk_written_bytes_total', 'The total number of bytes written successfully.', disk, () =>
    Math.round(machine.diskWrittenBytes),
  );
  page.counter(
    'node_disk_read_time_seconds_total',
    'The total number of seconds spent by all reads.',
    disk,
    () => machine.diskIoSeconds * 0.2,
  );
  page.counter(
    'node_disk_write_time_seconds_total',
    'This is the total number of seconds spent by all writes.',
    disk,
    () => machine.diskIoSeconds * 1.1,
  );
}

function addNetwork(page: PageBuilder, machine: Machine): void {
  const device = { device: 'eth0' };
  const counter = (name: string, read: () => number) =>
    page.counter(`node_network_${name}_total`, `Network device statistic ${name}.`, device, () => Math.round(read()));
  counter('receive_bytes', () => machine.receivedBytes);
  counter('transmit_bytes', () => machine.sentBytes);
  counter('receive_packets', () => machine.receivedPackets);
  counter('transmit_packets', () => machine.sentPackets);
  counter('receive_errs', () => 0);
  counter('transmit_errs', () => 0);
  counter('receive_drop', () => 0);
  counter('transmit_drop', () => 0);
  page.gauge('node_network_speed_bytes', 'Network device property: speed_bytes.', device, () => 12.5e9);
  page.gauge('node_network_up', 'Value is 1 if operstate is up, 0 otherwise.', device, () => 1);
  page.counter('node_netstat_Tcp_RetransSegs', 'Statistic TcpRetransSegs.', {}, () => Math.round(machine.retransmits));
  page.counter('node_netstat_Tcp_OutSegs', 'Statistic TcpOutSegs.', {}, () => Math.round(machine.segmentsOut));
  page.gauge(
    'node_nf_conntrack_entries',
    'Number of currently allocated flow entries for connection tracking.',
    {},
    () => 1480,
  );
  page.gauge('node_nf_conntrack_entries_limit', 'Maximum size of connection tracking table.', {}, () => 1_048_576);
}

function addSystem(page: PageBuilder, machine: Machine, now: () => number): void {
  page.gauge('node_boot_time_seconds', 'Node boot time, in unixtime.', {}, () => Math.round(machine.bootMs / 1000));
  page.gauge('node_time_seconds', 'System time in seconds since epoch (1970).', {}, () => now() / 1000);
  page.gauge(
    'node_timex_offset_seconds',
    'Time offset in between local system and reference clock.',
    {},
    () => machine.clockOffsetSeconds,
  );
  page.gauge('node_timex_sync_status', 'Is clock synchronized to a reliable server (1 = yes, 0 = no).', {}, () => 1);
  page.counter('node_edac_correctable_errors_total', 'Total correctable memory errors.', { controller: '0' }, () => 0);
  page.counter(
    'node_edac_uncorrectable_errors_total',
    'Total uncorrectable memory errors.',
    { controller: '0' },
    () => 0,
  );
  page.gauge(
    'node_uname_info',
    'Labeled system information as provided by the uname system call.',
    {
      domainname: '(none)',
      machine: 'x86_64',
      nodename: machine.plan.name,
      release: KERNEL,
      sysname: 'Linux',
      version: '#149-Ubuntu SMP Fri Mar 21 10:24:09 UTC 2025',
    },
    () => 1,
  );
}

/** The kernel counts CPU time in hundredths of a second. */
function hundredth(value: number): number {
  return Math.round(value * 100) / 100;
}
