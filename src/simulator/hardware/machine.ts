import type { NodePlan } from '../blueprint.ts';
import type { Random } from '../core/random.ts';
import type { Container } from './container.ts';
import type { Gpu } from './gpu.ts';

/** One server: what its containers, its kernel and its disk do, as counters that node_exporter reads. */
export class Machine {
  readonly plan: NodePlan;
  readonly gpus: readonly Gpu[];
  readonly containers: Container[] = [];
  readonly bootMs: number;
  /** Core seconds by mode, of all cores together. */
  readonly cpu = { user: 0, system: 0, iowait: 0, irq: 0, softirq: 0, steal: 0, nice: 0, idle: 0 };
  cpuWaitingSeconds = 0;
  ioWaitingSeconds = 0;
  load1 = 0;
  usedMemoryBytes = 0;
  receivedBytes = 0;
  sentBytes = 0;
  receivedPackets = 0;
  sentPackets = 0;
  retransmits = 0;
  segmentsOut = 0;
  diskReadBytes = 0;
  diskWrittenBytes = 0;
  diskIoSeconds = 0;
  diskUsedBytes: number;
  clockOffsetSeconds = 0;
  contextSwitches = 0;
  /** Share of wanted core time that waits for a core; a few in a thousand on an unloaded machine. */
  contention = 0;
  private readonly random: Random;
  private lastTraffic = { received: 0, sent: 0 };

  constructor(options: { plan: NodePlan; gpus: readonly Gpu[]; bootMs: number; random: Random }) {
    this.plan = options.plan;
    this.gpus = options.gpus;
    this.bootMs = options.bootMs;
    this.random = options.random;
    this.diskUsedBytes = (options.plan.gpus > 0 ? 610e9 : 88e9) + options.random.next() * 20e9;
  }

  tick(seconds: number): void {
    const { random, plan } = this;
    let used = 0;
    let memory = 3.2e9;
    for (const container of this.containers) {
      container.tick(seconds, this.contention, random.normal());
      used += container.cores * seconds;
      memory += container.workingSetBytes;
    }
    const system = (0.12 + 0.004 * plan.cores) * seconds * (1 + 0.1 * random.next()) + used * 0.06;
    const busy = Math.min(plan.cores * seconds, used + system);
    this.cpu.user += used * 0.88;
    this.cpu.system += used * 0.12 + system;
    this.cpu.softirq += 0.01 * seconds + used * 0.004;
    this.cpu.iowait += 0.004 * seconds;
    this.cpu.idle += Math.max(0, plan.cores * seconds - busy - 0.014 * seconds);
    const share = busy / (plan.cores * seconds);
    this.contention = 0.002 + share ** 6;
    this.cpuWaitingSeconds += seconds * Math.min(1, this.contention * 1.5 * share);
    this.load1 += (busy / seconds - this.load1) * (1 - Math.exp(-seconds / 60));
    this.usedMemoryBytes = memory;
    this.contextSwitches += (4000 + 6000 * busy) * seconds;
    this.passTraffic(this.traffic(), seconds);
    this.writeDisk(seconds);
    this.clockOffsetSeconds = 0.9 * this.clockOffsetSeconds + 4e-6 * random.normal();
  }

  /** A container that ends takes its counters with it; the machine's go on. */
  end(container: Container): void {
    this.containers.splice(this.containers.indexOf(container), 1);
    const { received, sent } = this.lastTraffic;
    this.lastTraffic = { received: received - container.receivedBytes, sent: sent - container.sentBytes };
  }

  /** Bytes of all containers since the start. */
  private traffic(): { received: number; sent: number } {
    let received = 0;
    let sent = 0;
    for (const container of this.containers) {
      received += container.receivedBytes;
      sent += container.sentBytes;
    }
    return { received, sent };
  }

  private passTraffic(now: { received: number; sent: number }, seconds: number): void {
    const received = now.received - this.lastTraffic.received + 6000 * seconds;
    const sent = now.sent - this.lastTraffic.sent + 9000 * seconds;
    this.lastTraffic = now;
    this.receivedBytes += received;
    this.sentBytes += sent;
    this.receivedPackets += received / 900;
    this.sentPackets += sent / 900;
    this.segmentsOut += sent / 900;
    this.retransmits += (sent / 900) * 0.00002;
  }

  private writeDisk(seconds: number): void {
    const written = (180_000 + 60_000 * this.random.next()) * seconds;
    this.diskWrittenBytes += written;
    this.diskReadBytes += 12_000 * seconds;
    this.diskIoSeconds += seconds * 0.006;
    this.ioWaitingSeconds += seconds * 0.0008;
    this.diskUsedBytes += written * 0.002;
  }
}
