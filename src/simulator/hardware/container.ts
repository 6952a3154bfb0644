/** What a container uses: counters that cAdvisor reads. Work is charged as it happens, `tick` adds what runs anyway. */
export class Container {
  cpuSeconds = 0;
  workingSetBytes: number;
  receivedBytes = 0;
  sentBytes = 0;
  receivedPackets = 0;
  sentPackets = 0;
  writtenBytes = 0;
  readBytes = 0;
  cfsPeriods = 0;
  cfsThrottledPeriods = 0;
  cfsThrottledSeconds = 0;
  cpuWaitingSeconds = 0;
  /** Cores used during the last tick. */
  cores = 0;
  readonly limitCores: number | undefined;
  readonly restingMemory: number;
  /** Cores used without any request; whoever runs in it may change them. */
  idleCores: number;
  private charged = 0;

  constructor(options: { limitCores: number | undefined; idleCores: number; restingMemory: number }) {
    this.limitCores = options.limitCores;
    this.idleCores = options.idleCores;
    this.restingMemory = options.restingMemory;
    this.workingSetBytes = options.restingMemory;
  }

  /** Work for a request: core seconds, and bytes over the network. */
  charge(cpuSeconds: number, received: number, sent: number): void {
    this.charged += cpuSeconds;
    this.receivedBytes += received;
    this.sentBytes += sent;
    this.receivedPackets += Math.ceil(received / 1400);
    this.sentPackets += Math.ceil(sent / 1400);
  }

  /** `contention` is the share of its wanted time a runnable task waits for a core. */
  tick(seconds: number, contention: number, noise: number): void {
    const used = this.charged + this.idleCores * seconds;
    this.charged = 0;
    this.cores = used / seconds;
    this.cpuSeconds += used;
    this.cpuWaitingSeconds += used * contention;
    this.workingSetBytes = this.restingMemory * (1 + 0.01 * noise) + 40e6 * this.cores;
    this.writtenBytes += 900 * seconds + 2000 * used;
    if (this.limitCores === undefined) return;
    const periods = 10 * seconds * Math.min(1, this.cores / 0.1);
    const over = Math.max(0, this.cores / this.limitCores - 1);
    this.cfsPeriods += periods;
    this.cfsThrottledPeriods += periods * Math.min(1, over * 2);
    this.cfsThrottledSeconds += over * used;
  }
}
