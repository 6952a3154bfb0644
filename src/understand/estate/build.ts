import { buildGpus } from './gpus.ts';
import { withGrouping } from './grouping.ts';
import type { Estate, EstateInput } from './input.ts';
import { createLookup } from './lookup.ts';
import { buildNodes } from './nodes.ts';
import { buildPods, judgePods, podRelations } from './pods.ts';
import { buildKubernetesServices, buildTracedServices } from './services.ts';
import { buildWorkloads } from './workloads.ts';

/** The estate as it held at one moment. Health rolls up: pod → workload → namespace and cluster; node → cluster. */
export function buildEstate(input: EstateInput): Estate {
  const lookup = createLookup(input);
  const pods = judgePods(lookup, input);
  const workloads = buildWorkloads(lookup, pods, input.models);
  const nodes = buildNodes(lookup, pods, input.atMs);
  const gpus = buildGpus(input, lookup);
  const services = buildKubernetesServices(input.objects, lookup);
  const traced = buildTracedServices(input, services.entities, lookup);
  const lower: Estate = {
    entities: [
      ...workloads.entities,
      ...buildPods(lookup, pods),
      ...nodes,
      ...gpus.entities,
      ...services.entities,
      ...traced.entities,
    ],
    relations: [
      ...workloads.relations,
      ...podRelations(pods),
      ...gpus.relations,
      ...services.relations,
      ...traced.relations,
    ],
  };
  return withGrouping(lower, input, lookup);
}
