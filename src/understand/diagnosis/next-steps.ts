import type { Mechanism } from '../../model/index.ts';

/** What an operator does first, per mechanism. `{entity}`, `{pod}` and `{subject}` become names. */
export const NEXT_STEPS: Partial<Record<Mechanism, readonly string[]>> = {
  'gpu-thermal-throttle': [
    'Take {pod} out of the router so that no request waits for the slow card.',
    'Check cooling of the node that holds {entity}: fans, air inlet, coolant, dust, neighbours in the rack.',
    'Move {pod} to another card and drain this one if it stays hot.',
  ],
  'gpu-power-cap': [
    'Compare the power limit of {entity} with its siblings and with the change record; set it back with nvidia-smi -pl.',
  ],
  'gpu-lost': ['Cordon and drain the node of {entity}, then power-cycle it; replace the card if it happens again.'],
  'gpu-memory-fault': ['Drain the pods on {entity} and reset the card; follow the action of its XID code.'],
  'nvlink-fault': ['Find the failing link and its peer with nvidia-smi nvlink -e, then reset both ends.'],
  'pcie-degraded': [
    'Compare link generation and width of {entity} with its siblings (nvidia-smi -q); reseat the card.',
  ],
  'node-packet-loss': [
    'Look at the network interface of {entity}: errors, cable, switch port; move latency-sensitive pods away.',
  ],
  'vm-steal': ['Ask for a host without overcommitted CPU for {entity}, or move {subject} to another node.'],
  'node-memory-pressure': ['Find the pod on {entity} whose memory grew, and give it a limit or another node.'],
  'disk-pressure': ['Free space on {entity}: images, logs, emptyDir volumes.'],
  'memory-limit-oom': [
    'Raise the memory limit of {entity}, or lower what it keeps (workers, /dev/shm, pinned memory).',
  ],
  'cpu-limit-throttle': ['Raise or remove the CPU limit of {entity}.'],
  'bad-rollout': ['Roll {entity} back to the revision before.'],
  'image-pull-failed': ['Correct the image or its registry credentials and roll {entity} out again.'],
  'insufficient-capacity': ['Add nodes with free GPUs, or lower what others request.'],
  'node-drained': ['Uncordon {entity} when its maintenance is over, or add capacity elsewhere.'],
  'kv-cache-exhausted': ['Limit prompt length or concurrency of {entity}, or give it more GPU memory or replicas.'],
  'prefix-cache-collapse': [
    'Compare prompt template, cache salt and prefix-cache settings with those before the change.',
  ],
  'batch-limit-low': ['Raise max-num-seqs and max-num-batched-tokens of {entity}.'],
  'replica-degraded': ['Compare start-up log and flags of {pod} with its peers, then restart it.'],
  'demand-burst': ['Find who sends more to {entity}, then limit them or add replicas.'],
  'dependency-slow': ['Investigate {entity}.'],
};
