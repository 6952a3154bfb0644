import type { ModelSeries } from './input.ts';
import type { PodObject } from './pod-health.ts';

/** What a workload serves: the engine, and the names under which clients ask for its models. */
export interface ModelServing {
  engine: string;
  models: string[];
  /** As its image's tag says; empty when that is no version. */
  version: string;
}

/** Parts of image names that tell the engine, for pods whose series nobody scrapes. */
const IMAGES: readonly [RegExp, string][] = [
  [/(^|\/)vllm(-|\/|:|$)|vllm-openai/, 'vllm'],
  [/sglang/, 'sglang'],
  [/text-generation-inference/, 'tgi'],
  [/text-embeddings-inference/, 'tei'],
  [/tritonserver/, 'triton'],
  [/tensorrt-?llm|trtllm/, 'tensorrt-llm'],
  [/nvcr\.io\/nim\//, 'nim'],
  [/llama\.cpp|llama-server/, 'llama.cpp'],
  [/(^|\/)ollama(\/|:|$)/, 'ollama'],
];

/** From the series that its pods expose, else from their images and arguments. Undefined when it serves no model. */
export function modelServing(pods: readonly PodObject[], series: readonly ModelSeries[]): ModelServing | undefined {
  const engine = series[0]?.engine ?? engineByImage(pods);
  if (engine === undefined) return undefined;
  const named = series.map((one) => one.model).filter((model) => model !== '');
  const models = named.length > 0 ? named.sort() : pods.flatMap(modelsByArguments);
  return { engine, models: [...new Set(models)], version: versionByImage(pods) };
}

function versionByImage(pods: readonly PodObject[]): string {
  const images = pods.flatMap((pod) => pod.body.spec.containers.map((container) => container.image));
  const image = images.find((name) => IMAGES.some(([pattern]) => pattern.test(name))) ?? '';
  return /:v?(\d+\.[\w.-]+)$/.exec(image)?.[1] ?? '';
}

function engineByImage(pods: readonly PodObject[]): string | undefined {
  for (const pod of pods) {
    for (const container of pod.body.spec.containers) {
      const found = IMAGES.find(([pattern]) => pattern.test(container.image));
      if (found) return found[1];
    }
  }
  return undefined;
}

/** `--served-model-name a b`, `--model=x` and the like; served names win over the path of the weights. */
function modelsByArguments(pod: PodObject): string[] {
  const words = pod.body.spec.containers.flatMap((container) => [...container.command, ...container.args]);
  const served = valuesOf(words, ['--served-model-name']);
  return served.length > 0 ? served : valuesOf(words, ['--model', '--model-path', '--model-id']).slice(0, 1);
}

function valuesOf(words: readonly string[], flags: readonly string[]): string[] {
  for (let i = 0; i < words.length; i++) {
    const word = words[i] ?? '';
    const joined = flags.find((flag) => word.startsWith(`${flag}=`));
    if (joined) return [word.slice(joined.length + 1)];
    if (!flags.includes(word)) continue;
    const rest = words.slice(i + 1);
    const end = rest.findIndex((next) => next.startsWith('-'));
    return end === -1 ? rest : rest.slice(0, end);
  }
  return [];
}
