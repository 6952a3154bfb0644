import type { Timeline } from '../core/timeline.ts';
import type { Gpu } from '../hardware/gpu.ts';
import { createEngineMetrics, type EngineMetrics, type FinishReason } from './engine-metrics.ts';
import { BLOCK_TOKENS, kvBlocks, type ModelProfile } from './model-profile.ts';
import { createPrefixCache, type PrefixCache } from './prefix-cache.ts';
import { type StepCost, stepCost } from './step-cost.ts';

/** One call of the model, as the engine's front end sees it. All times in milliseconds since the epoch. */
export interface ModelCall {
  id: string;
  conversation: string;
  promptTokens: number;
  /** Tokens it will generate, at least 1. */
  outputTokens: number;
  maxTokens: number;
  finishReason: FinishReason;
  /** At the API server. */
  arrivedAt: number;
  /** In the engine's queue. */
  queuedAt: number;
  scheduledAt: number;
  firstTokenAt: number;
  finishedAt: number;
  cachedTokens: number;
  onFinish: () => void;
}

/** A call inside the engine. */
interface Sequence {
  call: ModelCall;
  /** Tokens to compute before decoding (again): the prompt, and after a preemption also what was generated. */
  prefillTarget: number;
  prefilled: number;
  /** Step at whose end the current decoding began; -1 while prefilling. */
  joinStep: number;
  /** Tokens emitted when the current decoding began, its first one included. */
  emittedAtJoin: number;
  finishStep: number;
}

interface Prefill {
  sequence: Sequence;
  tokens: number;
}

const NO_PREFILLS: readonly Prefill[] = [];

interface Step {
  startMs: number;
  kernelEndMs: number;
  endMs: number;
  decoding: number;
  prefills: readonly Prefill[];
  cost: StepCost;
}

/**
 * A model server with continuous batching: calls wait for a batch slot and free KV blocks, are prefilled in chunks
 * beside the decoding ones, and then every step gives each of them one token. Blocks run out: the youngest is pushed
 * back and computed again later. Prompt blocks are taken as a whole at admission, and blocks shared by running calls of one
 * prefix are counted for each; both err towards using more cache than vLLM would.
 */
export class Engine {
  readonly model: ModelProfile;
  readonly gpus: readonly Gpu[];
  readonly metrics: EngineMetrics;
  readonly totalBlocks: number;
  private readonly timeline: Timeline;
  private readonly prefixes: PrefixCache = createPrefixCache();
  private readonly waiting: Sequence[] = [];
  private readonly runningSequences: Sequence[] = [];
  private readonly finishing = new Map<number, Sequence[]>();
  /** Decoding sequences by (prompt length - step) mod 16: who needs a new block is known without touching anyone. */
  private readonly phases = new Int32Array(BLOCK_TOKENS);
  private decoding = 0;
  private contextTokens = 0;
  private usedBlocks = 0;
  private stepNumber = 0;
  private step: Step | undefined;
  private settledTo = 0;

  constructor(options: { timeline: Timeline; model: ModelProfile; gpus: readonly Gpu[] }) {
    this.timeline = options.timeline;
    this.model = options.model;
    this.gpus = options.gpus;
    this.metrics = createEngineMetrics(options.model.maxModelLen);
    this.totalBlocks = kvBlocks(options.model);
  }

  get running(): number {
    return this.runningSequences.length;
  }

  get queued(): number {
    return this.waiting.length;
  }

  get kvUsage(): number {
    return this.usedBlocks / this.totalBlocks;
  }

  get outstanding(): number {
    return this.running + this.queued;
  }

  submit(call: ModelCall): void {
    call.queuedAt = this.timeline.now;
    this.waiting.push({
      call,
      prefillTarget: call.promptTokens,
      prefilled: 0,
      joinStep: -1,
      emittedAtJoin: 0,
      finishStep: -1,
    });
    if (!this.step) this.beginStep();
  }

  /** Credits the GPUs with the part of the current step that lies before now. */
  settle(): void {
    const step = this.step;
    if (!step) return;
    const until = Math.min(this.timeline.now, step.kernelEndMs);
    const seconds = (until - Math.max(this.settledTo, step.startMs)) / 1000;
    if (seconds <= 0) return;
    this.settledTo = until;
    for (const gpu of this.gpus) gpu.account(seconds, step.cost.work);
  }

  private beginStep(): void {
    const prefills = this.planPrefills();
    const decoding = this.decoding;
    if (decoding === 0 && prefills.length === 0) {
      this.step = undefined;
      return;
    }
    const prefillTokens = prefills.reduce((sum, part) => sum + part.tokens, 0);
    const cost = stepCost(this.model, this.gpus, {
      decodeTokens: decoding,
      prefillTokens,
      contextTokens: this.contextTokens,
    });
    const startMs = this.timeline.now;
    const kernelEndMs = startMs + cost.kernelSeconds * 1000;
    const endMs = kernelEndMs + this.model.hostGapSeconds * 1000;
    this.step = { startMs, kernelEndMs, endMs, decoding, prefills, cost };
    this.metrics.iterationTokens.observe(decoding + prefillTokens);
    this.timeline.at(endMs, this.endStep);
  }

  private readonly endStep = (): void => {
    const step = this.step;
    if (!step) return;
    this.settle();
    this.stepNumber++;
    if (step.decoding > 0) this.advanceDecoding(step);
    for (const part of step.prefills) this.advancePrefill(part.sequence, part.tokens);
    this.beginStep();
  };

  /** Shares the token budget of the next step among unfinished prefills, oldest first, then admits waiting calls. */
  private planPrefills(): readonly Prefill[] {
    if (this.decoding === this.running && this.waiting.length === 0) return NO_PREFILLS;
    let budget = this.model.maxBatchedTokens - this.decoding;
    const parts: Prefill[] = [];
    for (const sequence of this.runningSequences) {
      if (sequence.joinStep >= 0 || budget <= 0) continue;
      const tokens = Math.min(budget, sequence.prefillTarget - sequence.prefilled);
      budget -= tokens;
      parts.push({ sequence, tokens });
    }
    while (budget > 0 && this.running < this.model.maxNumSeqs) {
      const next = this.waiting[0];
      if (!next || this.usedBlocks + blocksFor(next.prefillTarget) > this.totalBlocks) break;
      this.waiting.shift();
      this.admit(next);
      const tokens = Math.min(budget, next.prefillTarget - next.prefilled);
      budget -= tokens;
      parts.push({ sequence: next, tokens });
    }
    return parts;
  }

  private admit(sequence: Sequence): void {
    const { call } = sequence;
    const cached = this.prefixes.match(call.conversation, sequence.prefillTarget);
    this.metrics.prefixQueries += sequence.prefillTarget;
    this.metrics.prefixHits += cached;
    if (call.scheduledAt === 0) {
      call.scheduledAt = this.timeline.now;
      call.cachedTokens = cached;
    }
    sequence.prefilled = cached;
    this.usedBlocks += blocksFor(sequence.prefillTarget);
    this.runningSequences.push(sequence);
  }

  private advanceDecoding(step: Step): void {
    const { metrics } = this;
    this.contextTokens += step.decoding;
    this.usedBlocks += this.phases[mod(1 - this.stepNumber, BLOCK_TOKENS)] ?? 0;
    metrics.generationTokens += step.decoding;
    metrics.itl.observe((step.endMs - step.startMs) / 1000, step.decoding);
    const done = this.finishing.get(this.stepNumber);
    this.finishing.delete(this.stepNumber);
    for (const sequence of done ?? []) if (sequence.finishStep === this.stepNumber) this.finish(sequence);
    while (this.usedBlocks > this.totalBlocks && this.running > 1) this.preemptYoungest();
  }

  private advancePrefill(sequence: Sequence, tokens: number): void {
    // Preempted in this very step: it waits again and starts over.
    if (!this.runningSequences.includes(sequence)) return;
    sequence.prefilled += tokens;
    if (sequence.prefilled < sequence.prefillTarget) return;
    const { call } = sequence;
    this.metrics.generationTokens++;
    sequence.emittedAtJoin++;
    sequence.joinStep = this.stepNumber;
    if (call.firstTokenAt === 0) {
      call.firstTokenAt = this.timeline.now;
      this.metrics.promptTokens += call.promptTokens;
      this.metrics.cachedPromptTokens += call.cachedTokens;
      this.metrics.ttft.observe((call.firstTokenAt - call.arrivedAt) / 1000);
    }
    this.decoding++;
    this.contextTokens += sequence.prefillTarget;
    this.addPhase(sequence, 1);
    sequence.finishStep = this.stepNumber + call.outputTokens - sequence.emittedAtJoin;
    if (sequence.finishStep === this.stepNumber) {
      this.finish(sequence);
      return;
    }
    const others = this.finishing.get(sequence.finishStep);
    if (others) others.push(sequence);
    else this.finishing.set(sequence.finishStep, [sequence]);
  }

  private finish(sequence: Sequence): void {
    const { call } = sequence;
    const context = this.leaveDecoding(sequence);
    this.remove(sequence);
    this.prefixes.keep(call.conversation, context, (this.totalBlocks - this.usedBlocks) * BLOCK_TOKENS);
    call.finishedAt = this.timeline.now;
    this.record(call);
    call.onFinish();
  }

  private preemptYoungest(): void {
    const youngest = this.runningSequences[this.runningSequences.length - 1];
    if (!youngest) return;
    if (youngest.joinStep >= 0) {
      const emitted = youngest.emittedAtJoin + this.stepNumber - youngest.joinStep;
      this.leaveDecoding(youngest);
      youngest.emittedAtJoin = emitted;
      youngest.prefillTarget = youngest.call.promptTokens + emitted;
    } else {
      this.usedBlocks -= blocksFor(youngest.prefillTarget);
    }
    youngest.joinStep = -1;
    youngest.finishStep = -1;
    youngest.prefilled = 0;
    this.remove(youngest);
    this.waiting.unshift(youngest);
    this.metrics.preemptions++;
  }

  /** Takes a decoding sequence out of all sums and frees its blocks. Returns the context it held. */
  private leaveDecoding(sequence: Sequence): number {
    const context = sequence.prefillTarget + this.stepNumber - sequence.joinStep;
    this.decoding--;
    this.contextTokens -= context;
    this.usedBlocks -= blocksFor(context);
    this.addPhase(sequence, -1);
    return context;
  }

  private addPhase(sequence: Sequence, change: number): void {
    const phase = mod(sequence.prefillTarget - sequence.joinStep, BLOCK_TOKENS);
    this.phases[phase] = (this.phases[phase] ?? 0) + change;
  }

  private remove(sequence: Sequence): void {
    const at = this.runningSequences.indexOf(sequence);
    if (at >= 0) this.runningSequences.splice(at, 1);
  }

  private record(call: ModelCall): void {
    const { metrics } = this;
    const decode = (call.finishedAt - call.firstTokenAt) / 1000;
    metrics.finished[call.finishReason]++;
    metrics.e2e.observe((call.finishedAt - call.arrivedAt) / 1000);
    metrics.queueTime.observe((call.scheduledAt - call.queuedAt) / 1000);
    metrics.prefillTime.observe((call.firstTokenAt - call.scheduledAt) / 1000);
    metrics.decodeTime.observe(decode);
    metrics.inferenceTime.observe((call.finishedAt - call.scheduledAt) / 1000);
    metrics.tpot.observe(call.outputTokens > 1 ? decode / (call.outputTokens - 1) : 0);
    metrics.requestPromptTokens.observe(call.promptTokens);
    metrics.requestGenerationTokens.observe(call.outputTokens);
    metrics.requestMaxTokens.observe(call.maxTokens);
    metrics.requestComputedTokens.observe(call.promptTokens - call.cachedTokens);
  }
}

function blocksFor(tokens: number): number {
  return Math.ceil(tokens / BLOCK_TOKENS);
}

function mod(value: number, by: number): number {
  return ((value % by) + by) % by;
}
