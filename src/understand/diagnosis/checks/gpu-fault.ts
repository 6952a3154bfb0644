import type { Entity, Mechanism } from '../../../model/index.ts';
import { type CheckContext, contradicts, defineCheck, type Hypothesis, NO_GPU, supports } from '../check.ts';
import type { Readings } from '../need.ts';
import { has, type Reading } from '../reading.ts';
import { finite } from '../robust.ts';
import { type Frame, timeAt } from '../window.ts';
import { nameOf } from '../words.ts';

/** Codes by what they mean (NVIDIA's Xid catalog); codes that speak of the application's own mistakes are not here. */
const LOST = new Set([79, 167]);
const MEMORY = new Set([48, 63, 64, 94, 95, 140, 171, 172]);
const LINK = new Set([74, 136, 137, 144, 145, 146, 147, 148, 149, 150, 155]);

/**
 * Broken hardware as the card reports it: a new XID code (the gauge is sticky, so only a change counts), uncorrectable
 * memory errors, link errors. A card whose series end while its neighbours' go on and that said XID 79 is lost.
 */
export const gpuFault = defineCheck({
  question: 'gpu',
  needs: {
    xid: { signal: 'gpu.xid', of: 'node-gpus', by: 'gpu' },
    uncorrected: { signal: 'gpu.ecc.uncorrected', of: 'node-gpus', by: 'gpu', optional: true },
    rows: { signal: 'gpu.rows.remapped', of: 'node-gpus', by: 'gpu', optional: true },
    links: { signal: 'gpu.nvlink.errors', of: 'node-gpus', by: 'gpu', optional: true },
    replays: { signal: 'gpu.pcie.replays', of: 'node-gpus', by: 'gpu', optional: true },
    tensor: { signal: 'gpu.tensor_active', of: 'node-gpus', by: 'gpu', optional: true },
  },
  judge(context, readings) {
    const { focus } = context;
    if (focus.gpus.length === 0) return NO_GPU;
    const hypotheses = focus.gpus.flatMap((gpu) => faultsOf(gpu, context, readings));
    const read = focus.gpus.flatMap((gpu) => readings.xid.of(gpu.ref) ?? []);
    const quiet: Mechanism[] = ['gpu-memory-fault', 'gpu-lost'];
    return {
      status: hypotheses.length > 0 ? 'problem' : read.length > 0 ? 'ok' : 'unknown',
      summary: hypotheses.map((h) => h.summary).join(' '),
      findings: hypotheses.map((h) => ({ severity: 'critical', entity: h.entity, summary: h.summary, cites: h.cites })),
      hypotheses,
      ruledOut:
        hypotheses.length > 0 || read.length === 0
          ? []
          : quiet.map((mechanism) => ({
              mechanism,
              entity: focus.self.ref,
              because: 'no GPU it uses reported a new XID error or uncorrectable memory error',
              cites: contradicts(...read.slice(0, 4)),
            })),
    };
  },
});

type Inputs = {
  xid: Readings;
  uncorrected: Readings;
  rows: Readings;
  links: Readings;
  replays: Readings;
  tensor: Readings;
};

function faultsOf(gpu: Entity, context: CheckContext, readings: Inputs): Hypothesis[] {
  const { estate, focus, frame } = context;
  const pods = estate.from(gpu.ref, 'uses', 'pod').filter((pod) => focus.pods.some((own) => own.ref === pod.ref));
  const name = nameOf(estate, gpu.ref);
  const found = (
    mechanism: Mechanism,
    strength: number,
    since: number | undefined,
    what: string,
    cited: readonly (Reading | undefined)[],
  ): Hypothesis => ({
    mechanism,
    entity: gpu.ref,
    strength,
    since,
    pods: pods.map((pod) => pod.ref),
    via: [gpu.ref, ...pods.slice(0, 1).map((pod) => pod.ref)],
    summary: `${name} ${what}.`,
    cites: supports(...cited),
  });
  const xid = readings.xid.of(gpu.ref);
  const news = xid ? newCodes(xid, frame) : [];
  const code = (known: ReadonlySet<number>) => news.find((item) => known.has(item.code));
  const lost = code(LOST);
  if (lost) return [found('gpu-lost', 0.95, lost.at, `fell off the bus (XID ${lost.code})`, [xid])];
  const memory = code(MEMORY);
  const errors = readings.uncorrected.of(gpu.ref);
  const rows = readings.rows.of(gpu.ref);
  const broke =
    has(errors) && finite(errors.values).some((rate, i) => rate > 0 && timeAt(frame, i) >= frame.baseline.to);
  const remapped = has(rows) && rows.during > rows.before;
  if (memory || broke) {
    const what = memory ? `reported a memory error (XID ${memory.code})` : 'has uncorrectable memory errors';
    return [
      found('gpu-memory-fault', memory && (broke || remapped) ? 0.95 : 0.85, memory?.at, what, [
        xid,
        errors,
        remapped ? rows : undefined,
      ]),
    ];
  }
  const link = code(LINK);
  const links = readings.links.of(gpu.ref);
  const failing = has(links) && links.during > 0 && !(links.before > links.during / 5);
  if (link || failing) {
    const what = link ? `reported a link error (XID ${link.code})` : 'has NVLink errors that were not there before';
    return [
      found('nvlink-fault', link && failing ? 0.95 : 0.8, link?.at, what, [xid, links, readings.tensor.of(gpu.ref)]),
    ];
  }
  const replays = readings.replays.of(gpu.ref);
  if (has(replays) && replays.during > 0.1 && !(replays.before > replays.during / 5)) {
    return [found('pcie-degraded', 0.7, undefined, 'sends PCIe packets again that got through before', [replays])];
  }
  return [];
}

/** Codes that appear after the baseline and were not there in it. */
function newCodes(xid: Reading, frame: Frame): { code: number; at: number }[] {
  const seen = new Set<number>();
  const news: { code: number; at: number }[] = [];
  xid.values.forEach((code, i) => {
    if (!Number.isFinite(code) || code === 0 || seen.has(code)) return;
    const at = timeAt(frame, i);
    // A code that the first sample already shows is old, whenever it happened.
    if (at > frame.baseline.to - 2 * frame.step && seen.size + finite(xid.values.slice(0, i)).length > 0)
      news.push({ code, at });
    seen.add(code);
  });
  return news;
}
