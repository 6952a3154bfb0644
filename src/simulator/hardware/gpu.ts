import { H100 } from './h100.ts';

/** What a rank did during part of a step, as rates while its kernel ran. */
export interface GpuWork {
  dramBytesPerSecond: number;
  /** Share of peak tensor throughput at the peak clock. */
  tensorOfPeak: number;
  smActive: number;
  nvlinkBytesPerSecond: number;
}

export interface GpuPlan {
  uuid: string;
  index: number;
  pciBusId: string;
  inletC: number;
}

export const CLOCK_EVENTS = {
  gpu_idle: 0x1,
  power_cap: 0x4,
  hw_slowdown: 0x8,
  sw_thermal: 0x20,
  hw_thermal: 0x40,
} as const;

export type ClockEvent = keyof typeof CLOCK_EVENTS;

/** Seconds over which `DCGM_EXP_CLOCK_EVENTS_COUNT` counts. */
const EVENT_WINDOW = 300;

/**
 * One card: activity becomes power, power becomes heat, heat meets cooling, and the clock gives way to keep power and
 * temperature within their limits. `tick` is called once per simulated second.
 */
export class Gpu {
  readonly plan: GpuPlan;
  /** Share of the normal heat flow that cooling still carries away; 1 is healthy. Faults change it. */
  cooling = 1;
  powerLimitW: number = H100.powerLimitW;

  smClockMHz: number = H100.smClockMHz;
  temperatureC: number;
  powerW: number = H100.idlePowerW;
  energyMj = 0;
  thermalViolationNs = 0;
  powerViolationNs = 0;
  reasons: number = CLOCK_EVENTS.gpu_idle;
  usedMiB = 0;

  /** Ratios of the last full second. */
  utilization = 0;
  smActive = 0;
  tensorActive = 0;
  dramActive = 0;
  nvlinkBytesPerSecond = 0;

  private busySeconds = 0;
  private smSeconds = 0;
  private tensorSeconds = 0;
  private dramBytes = 0;
  private nvlinkBytes = 0;
  private thermalCapMHz: number = H100.smClockMHz;
  private powerCapMHz: number = H100.smClockMHz;
  private lastTemperatureC: number;
  private readonly eventTimes = new Map<ClockEvent, Uint8Array>();
  private ticks = 0;

  constructor(plan: GpuPlan) {
    this.plan = plan;
    this.temperatureC = plan.inletC + 4;
    this.lastTemperatureC = this.temperatureC;
  }

  /** Clock as a share of the peak. */
  get clock(): number {
    return this.smClockMHz / H100.smClockMHz;
  }

  /** Work done for `seconds`; called by the engine as its steps pass. */
  account(seconds: number, work: GpuWork): void {
    this.busySeconds += seconds;
    this.smSeconds += seconds * work.smActive;
    this.tensorSeconds += seconds * work.tensorOfPeak;
    this.dramBytes += seconds * work.dramBytesPerSecond;
    this.nvlinkBytes += seconds * work.nvlinkBytesPerSecond;
  }

  tick(seconds: number): void {
    this.readActivity(seconds);
    this.heat(seconds);
    this.limitClock(seconds);
    this.recordEvents();
  }

  /** How often a clock event was seen within the last 300 s, one look per second. */
  eventsInWindow(event: ClockEvent): number {
    return this.eventTimes.get(event)?.reduce((sum, seen) => sum + seen, 0) ?? 0;
  }

  private readActivity(seconds: number): void {
    this.utilization = Math.min(1, this.busySeconds / seconds);
    this.smActive = Math.min(1, this.smSeconds / seconds);
    // DCGM counts cycles with the pipe active, and a slower clock has fewer cycles for the same work.
    this.tensorActive = Math.min(1, this.tensorSeconds / seconds / this.clock);
    this.dramActive = Math.min(1, this.dramBytes / seconds / H100.memoryBytesPerSecond);
    this.nvlinkBytesPerSecond = this.nvlinkBytes / seconds;
    this.busySeconds = this.smSeconds = this.tensorSeconds = this.dramBytes = this.nvlinkBytes = 0;
  }

  private heat(seconds: number): void {
    const core = this.smActive * H100.smPowerW + this.tensorActive * H100.tensorPowerW;
    this.powerW = H100.idlePowerW + core * this.clock ** H100.clockPowerExponent + this.dramActive * H100.dramPowerW;
    this.energyMj += this.powerW * seconds * 1000;
    const flow = ((this.temperatureC - this.plan.inletC) / H100.thermalResistance) * this.cooling;
    this.lastTemperatureC = this.temperatureC;
    this.temperatureC += ((this.powerW - flow) * seconds) / H100.heatCapacity;
  }

  /** A proportional controller with damping for temperature, a plain one for power; the lower cap wins. */
  private limitClock(seconds: number): void {
    const over = this.temperatureC - H100.thermalTargetC;
    const trend = (this.temperatureC - this.lastTemperatureC) / seconds;
    const thermalStep = over < -2 ? 30 : Math.max(-120, Math.min(30, -6 * over - 160 * trend));
    this.thermalCapMHz = clampClock(this.thermalCapMHz + thermalStep * seconds);
    const room = this.powerLimitW - this.powerW;
    this.powerCapMHz = clampClock(this.powerCapMHz + Math.max(-150, Math.min(60, room)) * seconds);
    const hardware = this.temperatureC >= H100.hardwareSlowdownC ? H100.smClockMHz / 2 : H100.smClockMHz;
    const wanted = Math.min(this.thermalCapMHz, this.powerCapMHz, hardware);
    this.smClockMHz = Math.round(wanted / H100.clockStepMHz) * H100.clockStepMHz;

    this.reasons = this.utilization === 0 ? CLOCK_EVENTS.gpu_idle : 0;
    if (this.smClockMHz === H100.smClockMHz) return;
    if (this.thermalCapMHz <= this.powerCapMHz) {
      this.reasons |= CLOCK_EVENTS.sw_thermal;
      this.thermalViolationNs += seconds * 1e9;
    } else {
      this.reasons |= CLOCK_EVENTS.power_cap;
      this.powerViolationNs += seconds * 1e9;
    }
    if (hardware < H100.smClockMHz) this.reasons |= CLOCK_EVENTS.hw_slowdown | CLOCK_EVENTS.hw_thermal;
  }

  private recordEvents(): void {
    const slot = this.ticks++ % EVENT_WINDOW;
    for (const event of Object.keys(CLOCK_EVENTS) as ClockEvent[] /* the keys of that very object */) {
      const seen = this.reasons & CLOCK_EVENTS[event] ? 1 : 0;
      let window = this.eventTimes.get(event);
      if (!window && !seen) continue;
      if (!window) {
        window = new Uint8Array(EVENT_WINDOW);
        this.eventTimes.set(event, window);
      }
      window[slot] = seen;
    }
  }
}

function clampClock(mhz: number): number {
  return Math.max(H100.minSmClockMHz, Math.min(H100.smClockMHz, mhz));
}
