import type { RouteName, TrafficPlan } from '../blueprint.ts';
import { pickWeighted, type Random } from '../core/random.ts';
import type { Timeline } from '../core/timeline.ts';
import { sampleQuantiles } from './quantiles.ts';

/** A request as a user sends it. */
export interface UserRequest {
  route: RouteName;
  model: string;
  tenant: string;
  client: { name: string; version: string };
  conversation: string;
  promptTokens: number;
  /** Tokens the model would generate if nobody stopped it. */
  wantedTokens: number;
  maxTokens: number;
  /** The client goes away after this share of the output; 1 means it stays. */
  patience: number;
  malformed: boolean;
}

const TENANTS = [
  { name: 'acme', weight: 40 },
  { name: 'globex', weight: 30 },
  { name: 'initech', weight: 20 },
  { name: 'umbrella', weight: 10 },
];

const CLIENTS = [
  { name: 'web', version: '2.1', maxTokens: 1000, weight: 55 },
  { name: 'mobile', version: '5.4', maxTokens: 512, weight: 30 },
  { name: 'batch', version: '0.9', maxTokens: 1000, weight: 15 },
];

/** Prompt and output tokens of the Azure 2023 conversation trace (fault-catalogue.md section 2), as quantiles. */
const CHAT_PROMPT: [number, number][] = [
  [0, 20], [0.25, 300], [0.5, 1020], [0.75, 1250], [0.9, 2735], [0.99, 4142], [0.999, 6500], [1, 14050],
]; // biome-ignore format: a table
const CHAT_OUTPUT: [number, number][] = [
  [0, 1], [0.25, 70], [0.5, 129], [0.75, 290], [0.9, 424], [0.99, 950], [1, 1000],
]; // biome-ignore format: a table
const LENGTH_CORRELATION = -0.11;

/** Relative spread of the arrival rate, and how long a swing lasts; calmer than that trace's, whose peaks fill every slot. */
const RATE_SPREAD = 0.13;
const RATE_MEMORY_S = 180;
const DAILY_SWING = 0.06;

/** Share of requests that go on with a conversation whose context the replica may still hold. */
const CONTINUED = 0.6;
const OPEN_CONVERSATIONS = 120;

/** Sends requests along one route for ever: Poisson arrivals under a slowly wandering rate. */
export function startTraffic(options: {
  timeline: Timeline;
  random: Random;
  plan: TrafficPlan;
  send: (request: UserRequest) => void;
}): void {
  const { timeline, random, plan, send } = options;
  const conversations: { id: string; context: number }[] = [];
  let swing = random.normal() * RATE_SPREAD;
  let lastMs = timeline.now;
  const arrive = () => {
    const seconds = (timeline.now - lastMs) / 1000;
    lastMs = timeline.now;
    const kept = Math.exp(-seconds / RATE_MEMORY_S);
    swing = swing * kept + RATE_SPREAD * Math.sqrt(1 - kept * kept) * random.normal();
    send(drawRequest(random, plan, conversations));
    schedule();
  };
  const schedule = () => {
    const rate = plan.requestsPerSecond * Math.exp(swing - RATE_SPREAD ** 2 / 2) * daily(timeline.now);
    timeline.at(timeline.now + random.exponential(1000 / rate), arrive);
  };
  schedule();
}

/** Mildly more by day; highest at 14:00 UTC. */
function daily(ms: number): number {
  return 1 + DAILY_SWING * Math.cos(((ms / 3_600_000 - 14) * 2 * Math.PI) / 24);
}

function drawRequest(random: Random, plan: TrafficPlan, conversations: { id: string; context: number }[]): UserRequest {
  const client = pickWeighted(random, CLIENTS);
  const tenant = pickWeighted(random, TENANTS).name;
  const lengthRank = random.next();
  const outputRank = random.next() < -LENGTH_CORRELATION ? 1 - lengthRank : random.next();
  const rag = plan.route === 'rag';
  const promptTokens = rag
    ? Math.round(1500 + 2200 * random.next() + 40 * random.exponential(4))
    : Math.round(sampleQuantiles(CHAT_PROMPT, lengthRank));
  const wantedTokens = Math.max(1, Math.round(sampleQuantiles(CHAT_OUTPUT, outputRank) * (rag ? 0.8 : 1)));
  const outcome = random.next();
  return {
    route: plan.route,
    model: plan.model,
    tenant,
    client: { name: client.name, version: client.version },
    conversation: rag
      ? `${tenant}-${random.hex(8)}`
      : drawConversation(random, conversations, promptTokens, wantedTokens),
    promptTokens,
    wantedTokens,
    maxTokens: client.maxTokens,
    patience: outcome < 0.004 ? random.next() : 1,
    malformed: outcome > 0.999,
  };
}

/** An open conversation that fits into this prompt, or a new one. */
function drawConversation(
  random: Random,
  conversations: { id: string; context: number }[],
  promptTokens: number,
  outputTokens: number,
): string {
  const context = promptTokens + outputTokens;
  if (random.next() < CONTINUED) {
    for (let attempt = 0; attempt < 6; attempt++) {
      const open = conversations[random.below(Math.max(1, conversations.length))];
      if (!open || open.context > promptTokens) continue;
      open.context = context;
      return open.id;
    }
  }
  const started = { id: random.hex(12), context };
  if (conversations.length < OPEN_CONVERSATIONS) conversations.push(started);
  else conversations[random.below(OPEN_CONVERSATIONS)] = started;
  return started.id;
}
