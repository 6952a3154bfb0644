import { CLOCK_EVENTS, type ClockEvent, type Gpu } from '../hardware/gpu.ts';
import { H100 } from '../hardware/h100.ts';
import type { Machine } from '../hardware/machine.ts';
import { DRIVER } from '../kubernetes/build-objects.ts';
import type { PodRuntime } from '../pod-runtime.ts';
import { createPage, type Page, type PageBuilder } from './page.ts';

/** `/metrics` of dcgm-exporter on one node, with its Kubernetes mapping on. */
export function dcgmPage(machine: Machine, ownerOf: ReadonlyMap<Gpu, PodRuntime>): Page {
  return createPage((page) => {
    for (const gpu of machine.gpus) {
      const owner = ownerOf.get(gpu)?.source;
      const labels = {
        gpu: String(gpu.plan.index),
        UUID: gpu.plan.uuid,
        pci_bus_id: gpu.plan.pciBusId,
        device: `nvidia${gpu.plan.index}`,
        modelName: H100.modelName,
        Hostname: machine.plan.name,
        DCGM_FI_DRIVER_VERSION: DRIVER,
        ...(owner ? { container: owner.container, namespace: owner.namespace, pod: owner.pod } : {}),
      };
      addDevice(page, gpu, labels);
      addProfiling(page, gpu, labels);
      addHealth(page, gpu, labels);
      addClockEvents(page, gpu, labels);
    }
  });
}

type GpuLabels = Readonly<Record<string, string>>;

function addDevice(page: PageBuilder, gpu: Gpu, labels: GpuLabels): void {
  const gauge = (name: string, help: string, read: () => number) =>
    page.gauge(`DCGM_FI_DEV_${name}`, help, labels, read);
  gauge('SM_CLOCK', 'SM clock frequency (in MHz).', () => gpu.smClockMHz);
  gauge('MEM_CLOCK', 'Memory clock frequency (in MHz).', () => H100.memoryClockMHz);
  gauge('MEMORY_TEMP', 'Memory temperature (in C).', () => Math.round(gpu.temperatureC + 7));
  gauge('GPU_TEMP', 'GPU temperature (in C).', () => Math.round(gpu.temperatureC));
  gauge('GPU_TEMP_LIMIT', 'Thermal margin: distance to the slowdown limit (in C).', () =>
    Math.round(H100.thermalTargetC + 1 - gpu.temperatureC),
  );
  gauge('POWER_USAGE', 'Power draw (in W).', () => round(gpu.powerW, 3));
  gauge('POWER_MGMT_LIMIT', 'Current power limit (in W).', () => gpu.powerLimitW);
  page.counter('DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION', 'Total energy consumption since boot (in mJ).', labels, () =>
    Math.round(gpu.energyMj),
  );
  gauge('GPU_UTIL', 'GPU utilization (in %).', () => Math.round(gpu.utilization * 100));
  gauge('MEM_COPY_UTIL', 'Memory utilization (in %).', () => Math.round(gpu.dramActive * 100));
  gauge('ENC_UTIL', 'Encoder utilization (in %).', () => 0);
  gauge('DEC_UTIL', 'Decoder utilization (in %).', () => 0);
  gauge('FB_FREE', 'Framebuffer memory free (in MiB).', () => H100.memoryMiB - H100.reservedMiB - gpu.usedMiB);
  gauge('FB_USED', 'Framebuffer memory used (in MiB).', () => gpu.usedMiB);
  gauge('FB_RESERVED', 'Framebuffer memory reserved (in MiB).', () => H100.reservedMiB);
  gauge('CLOCKS_EVENT_REASONS', 'Current clock event reasons (bitmask).', () => gpu.reasons);
  gauge('VGPU_LICENSE_STATUS', 'vGPU License status', () => 0);
}

function addProfiling(page: PageBuilder, gpu: Gpu, labels: GpuLabels): void {
  const gauge = (name: string, help: string, read: () => number) =>
    page.gauge(`DCGM_FI_PROF_${name}`, help, labels, read);
  gauge('GR_ENGINE_ACTIVE', 'Ratio of time the graphics engine is active.', () => round(gpu.utilization, 6));
  gauge('SM_ACTIVE', 'The ratio of cycles an SM has at least 1 warp assigned.', () => round(gpu.smActive, 6));
  gauge('PIPE_TENSOR_ACTIVE', 'Ratio of cycles the tensor (HMMA) pipe is active.', () => round(gpu.tensorActive, 6));
  gauge('DRAM_ACTIVE', 'Ratio of cycles the device memory interface is active sending or receiving data.', () =>
    round(gpu.dramActive, 6),
  );
  gauge('PCIE_TX_BYTES', 'The rate of data transmitted over the PCIe bus (in bytes per second).', () =>
    Math.round(2.1e6 + 9e6 * gpu.utilization),
  );
  gauge('PCIE_RX_BYTES', 'The rate of data received over the PCIe bus (in bytes per second).', () =>
    Math.round(1.6e6 + 21e6 * gpu.utilization),
  );
  gauge('NVLINK_TX_BYTES', 'The rate of data transmitted over NVLink (in bytes per second).', () =>
    Math.round(gpu.nvlinkBytesPerSecond),
  );
  gauge('NVLINK_RX_BYTES', 'The rate of data received over NVLink (in bytes per second).', () =>
    Math.round(gpu.nvlinkBytesPerSecond),
  );
}

function addHealth(page: PageBuilder, gpu: Gpu, labels: GpuLabels): void {
  const counter = (name: string, help: string, read: () => number) =>
    page.counter(`DCGM_FI_DEV_${name}`, help, labels, read);
  page.gauge(
    'DCGM_FI_DEV_XID_ERRORS',
    'Value of the last XID error encountered.',
    { ...labels, err_code: '0', err_msg: 'No Error' },
    () => 0,
  );
  counter('POWER_VIOLATION', 'Throttling duration due to power constraints (in ns).', () => gpu.powerViolationNs);
  counter('THERMAL_VIOLATION', 'Throttling duration due to thermal constraints (in ns).', () => gpu.thermalViolationNs);
  counter('ECC_SBE_VOL_TOTAL', 'Total number of single-bit volatile ECC errors.', () => 0);
  counter('ECC_DBE_VOL_TOTAL', 'Total number of double-bit volatile ECC errors.', () => 0);
  counter('UNCORRECTABLE_REMAPPED_ROWS', 'Number of remapped rows for uncorrectable errors', () => 0);
  counter('CORRECTABLE_REMAPPED_ROWS', 'Number of remapped rows for correctable errors', () => 0);
  page.gauge('DCGM_FI_DEV_ROW_REMAP_FAILURE', 'Whether remapping of rows has failed', labels, () => 0);
  counter('PCIE_REPLAY_COUNTER', 'Total number of PCIe retries.', () => 0);
  counter('NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL', 'Total number of NVLink flow-control CRC errors.', () => 0);
  counter('NVLINK_REPLAY_ERROR_COUNT_TOTAL', 'Total number of NVLink retries.', () => 0);
}

/** The exporter shows an event from its first occurrence on. */
function addClockEvents(page: PageBuilder, gpu: Gpu, labels: GpuLabels): void {
  const shown = new Set<ClockEvent>();
  for (const event of Object.keys(CLOCK_EVENTS) as ClockEvent[] /* the keys of that very object */) {
    page.gauge(
      'DCGM_EXP_CLOCK_EVENTS_COUNT',
      'Count of clock events within the user-specified time window (see clock-events-count-window-size param).',
      { ...labels, clock_event: event, window_size_in_ms: '300000' },
      () => {
        const count = gpu.eventsInWindow(event);
        if (count > 0) shown.add(event);
        return shown.has(event) ? count : Number.NaN;
      },
    );
  }
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
