import type { Sentence } from '../../components/page-head.tsx';
import type { State } from '../../components/state.ts';
import { counted } from '../../format/index.ts';
import type { ModelService } from '../models/use-model-services.ts';

/** The first line of Overview and Models: how the model services fare, the worst one by name. */
export function answerServices(
  services: readonly ModelService[],
  formatTime: (ms: number) => string,
  clusters: number,
): { state: State; answer: Sentence } {
  if (services.length === 0) return { state: 'unknown', answer: ['No model service is known here yet.'] };
  const outside = services.filter((s) => s.isOutside);
  const warning = services.filter((s) => s.state === 'warning');
  const unknown = services.filter((s) => s.state === 'unknown');
  const idle = services.filter((s) => s.state === 'idle');
  const total = services.length;
  const named = (s: ModelService): Sentence => [
    { entity: s.entity },
    clusters > 1 ? ` in ${s.entity.cluster}` : '',
    ` is ${s.word}`,
    s.since === undefined ? '.' : ` since ${formatTime(s.since)}.`,
  ];
  const [worst] = outside;
  if (worst) {
    const share =
      outside.length === 1
        ? `${outside.length} of ${counted(total, 'model service')} is outside its objective: `
        : `${outside.length} of ${counted(total, 'model service')} are outside their objective, first `;
    return { state: 'critical', answer: [share, ...named(worst)] };
  }
  const [first] = warning;
  if (first)
    return {
      state: 'warning',
      answer: [
        `${warning.length} of ${counted(total, 'model service')} ${warning.length === 1 ? 'needs' : 'need'} attention${warning.length === 1 ? ': ' : ', first '}`,
        ...named(first),
      ],
    };
  if (unknown.length > 0) {
    const rest = total - unknown.length;
    return {
      state: 'unknown',
      answer: [
        `${counted(unknown.length, 'model service')} of ${total} cannot be judged, as no latency is collected`,
        rest > 0 ? `; the other ${rest === 1 ? 'one is' : `${rest} are`} well.` : '.',
      ],
    };
  }
  if (idle.length === total)
    return {
      state: 'idle',
      answer: [
        total === 1 ? 'The model service is idle: no requests.' : `All ${total} model services are idle: no requests.`,
      ],
    };
  const words =
    total === 1 ? 'The model service meets its objective' : `All ${total} model services meet their objectives`;
  return { state: 'ok', answer: [words, idle.length > 0 ? `; ${idle.length} idle.` : '.'] };
}
