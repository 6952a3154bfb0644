import { named } from './identity.ts';
import { by, type Recipe, type RecipeContext, selector } from './recipe.ts';
import type { SourceSystem } from './source.ts';

const MEBIBYTE = 1_048_576;

/**
 * NVIDIA's dcgm-exporter. Series are identified by the card's UUID alone: pod labels change with the allocation, may be
 * the exporter's own, and repeat the same card per sharing pod, so cards are folded by maximum before anything is added.
 */
export const dcgm: SourceSystem = {
  name: 'dcgm',
  howTo: 'Run dcgm-exporter on every GPU node and scrape its port 9400.',
  tables: [
    {
      home: 'gpu',
      identities: [named('UUID'), named('uuid')],
      signals: {
        'gpu.utilization': card('DCGM_FI_DEV_GPU_UTIL', 0.01),
        'gpu.memory.used': card('DCGM_FI_DEV_FB_USED', MEBIBYTE),
        'gpu.memory.total': { kind: 'custom', expression: memoryTotal },
        'gpu.sm_clock': card('DCGM_FI_DEV_SM_CLOCK'),
        'gpu.temperature': card('DCGM_FI_DEV_GPU_TEMP'),
        'gpu.power': card('DCGM_FI_DEV_POWER_USAGE'),
        'gpu.power.limit': card('DCGM_FI_DEV_POWER_MGMT_LIMIT'),
        'gpu.throttle.thermal': throttled('DCGM_FI_DEV_THERMAL_VIOLATION', [32, 64], 'sw_thermal|hw_thermal'),
        'gpu.throttle.power': throttled('DCGM_FI_DEV_POWER_VIOLATION', [4, 128], 'power_cap|hw_power_brake'),
        'gpu.sm_active': card('DCGM_FI_PROF_SM_ACTIVE'),
        'gpu.tensor_active': card('DCGM_FI_PROF_PIPE_TENSOR_ACTIVE'),
        'gpu.dram_active': card('DCGM_FI_PROF_DRAM_ACTIVE'),
        'gpu.pcie.replays': cardRate('DCGM_FI_DEV_PCIE_REPLAY_COUNTER'),
        'gpu.pcie.throughput': { kind: 'custom', expression: pcieThroughput },
        'gpu.xid': card('DCGM_FI_DEV_XID_ERRORS'),
        'gpu.ecc.uncorrected': cardRate('DCGM_FI_DEV_ECC_DBE_VOL_TOTAL'),
        'gpu.rows.remapped': card('DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS'),
      },
      enable: {
        'gpu.throttle.thermal':
          'Add DCGM_FI_DEV_THERMAL_VIOLATION and DCGM_FI_DEV_CLOCKS_EVENT_REASONS to the dcgm-exporter counters file.',
        'gpu.throttle.power':
          'Add DCGM_FI_DEV_POWER_VIOLATION and DCGM_FI_DEV_CLOCKS_EVENT_REASONS to the dcgm-exporter counters file.',
        'gpu.power.limit': 'Add DCGM_FI_DEV_POWER_MGMT_LIMIT to the dcgm-exporter counters file.',
        'gpu.sm_active': 'Uncomment DCGM_FI_PROF_SM_ACTIVE in the dcgm-exporter counters file.',
        'gpu.ecc.uncorrected': 'Uncomment DCGM_FI_DEV_ECC_DBE_VOL_TOTAL in the dcgm-exporter counters file.',
      },
    },
    {
      home: 'gpu',
      identities: [named('gpu_uuid'), named('UUID')],
      signals: { 'gpu.nvlink.errors': { kind: 'custom', expression: nvlinkErrors } },
      enable: {
        'gpu.nvlink.errors':
          'Uncomment the DCGM_FI_DEV_NVLINK_*_ERROR_COUNT_TOTAL fields in the dcgm-exporter counters file.',
      },
    },
  ],
};

/** The value of one card, once, however many sharing pods repeat it. */
function card(name: string, scale?: number): Recipe {
  return {
    kind: 'custom',
    expression: ({ matchers, grain }) => {
      const value = `max${by(grain)} (${selector(name, matchers)})`;
      return scale === undefined ? value : `${value} * ${scale}`;
    },
  };
}

function cardRate(name: string): Recipe {
  return {
    kind: 'custom',
    expression: ({ matchers, grain, range }) => `max${by(grain)} (rate(${selector(name, matchers)}[${range}]))`,
  };
}

function memoryTotal({ matchers, grain }: RecipeContext): string {
  const value = (name: string) => `max${by(grain)} (${selector(name, matchers)})`;
  const parts = `${value('DCGM_FI_DEV_FB_USED')} + ${value('DCGM_FI_DEV_FB_FREE')}`;
  return `(${value('DCGM_FI_DEV_FB_TOTAL')} or ${parts} + ${value('DCGM_FI_DEV_FB_RESERVED')} or ${parts}) * ${MEBIBYTE}`;
}

function pcieThroughput({ matchers, grain }: RecipeContext): string {
  const value = (name: string) => `max${by(grain)} (${selector(name, matchers)})`;
  return `${value('DCGM_FI_PROF_PCIE_TX_BYTES')} + ${value('DCGM_FI_PROF_PCIE_RX_BYTES')}`;
}

function nvlinkErrors({ matchers, grain, range }: RecipeContext): string {
  const kinds = ['CRC_FLIT', 'CRC_DATA', 'REPLAY', 'RECOVERY'];
  const rates = kinds.map(
    (kind) =>
      `max${by([...grain, 'nvlink'])} (rate(${selector(`DCGM_FI_DEV_NVLINK_${kind}_ERROR_COUNT_TOTAL`, matchers)}[${range}]))`,
  );
  return `sum${by(grain)} (${rates.map((rate, i) => `label_replace(${rate}, "error", "${kinds[i]}", "", "")`).join(' or ')})`;
}

/**
 * Share of time held down for one class of reasons: the violation counter (nanoseconds, by its help text), else the bits
 * of the clock-event mask (PromQL has no bitwise and: floor(x / bit) % 2), else whether the exporter counted such an event.
 */
function throttled(counter: string, bits: readonly number[], events: string): Recipe {
  return {
    kind: 'custom',
    expression: ({ matchers, grain, range }) => {
      const masks = ['DCGM_FI_DEV_CLOCKS_EVENT_REASONS', 'DCGM_FI_DEV_CLOCK_THROTTLE_REASONS'];
      const share = `clamp_max(max${by(grain)} (rate(${selector(counter, matchers)}[${range}])) / 1e9, 1)`;
      const bit = (mask: string) =>
        `clamp_max(${bits.map((b) => `floor(max${by(grain)} (${selector(mask, matchers)}) / ${b}) % 2`).join(' + ')}, 1)`;
      const counted = `max${by(grain)} (${selector('DCGM_EXP_CLOCK_EVENTS_COUNT', matchers, `clock_event=~"${events}"`)} > bool 0)`;
      return [share, ...masks.map(bit), counted].join(' or ');
    },
  };
}
