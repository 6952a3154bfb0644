import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Clock, type ManualClock, manualClock, silentLogger, systemClock } from '../../../base/index.ts';
import type { ObjectVersion } from '../../../model/index.ts';
import { BackPressureError, type Rejection, type SignalSink } from '../../sink.ts';
import { type KubernetesWatch, type KubernetesWatchOptions, startKubernetesWatch } from './index.ts';
import { type ApiServer, startApiServer } from './testdata/api-server.ts';

/** Keeps what a store would keep, and can be full for a while. */
function memorySink() {
  const versions: ObjectVersion[] = [];
  const dropped: Rejection[] = [];
  const refuse: Error[] = [];
  const sink: SignalSink = {
    async accept(batch) {
      const error = refuse.shift();
      if (error) throw error;
      versions.push(...(batch.objects ?? []));
      return { rejected: [] };
    },
    drop: (rejection) => dropped.push(rejection),
  };
  const living = (kind: string) => {
    const last = new Map<string, ObjectVersion>();
    for (const version of versions) if (version.kind === kind) last.set(version.uid, version);
    return [...last.values()].filter((version) => !version.deleted);
  };
  return { sink, versions, dropped, refuse, living };
}

const FAST = {
  silenceMs: 150,
  answerMs: 150,
  backoff: { firstMs: 5, maxMs: 20, factor: 2 },
  refusedBackoff: { firstMs: 5, maxMs: 20, factor: 2 },
};
/** For what a slow machine must not mistake for a server that hangs. */
const PATIENT = { ...FAST, silenceMs: 20_000, answerMs: 20_000 };
const CREATED = '2026-11-30T10:00:00Z';

let api: ApiServer;
let watch: KubernetesWatch | undefined;
let store: ReturnType<typeof memorySink>;

beforeEach(async () => {
  api = await startApiServer();
  store = memorySink();
});
afterEach(async () => {
  await watch?.close();
  watch = undefined;
  await api.close();
});

function start(options: Partial<KubernetesWatchOptions> & { clock?: Clock } = {}): KubernetesWatch {
  watch = startKubernetesWatch({
    cluster: 'test',
    connection: { url: api.url, token: 't' },
    sink: store.sink,
    clock: systemClock,
    logger: silentLogger,
    times: FAST,
    ...options,
  });
  return watch;
}

function pod(name: string, phase = 'Running', more: Record<string, unknown> = {}) {
  return {
    metadata: { name, namespace: 'inference', uid: `uid-${name}`, creationTimestamp: CREATED, ...more },
    spec: { containers: [{ name: 'main', image: 'x:1' }] },
    status: { phase, conditions: [{ type: 'Ready', status: 'True', lastProbeTime: String(Math.random()) }] },
  };
}

const names = (versions: readonly ObjectVersion[]) => versions.map((version) => version.name).sort();
const stateOf = (resource: string) => watch?.state().find((state) => state.resource === resource);
const count = (request: string) => api.requests.filter((one) => one === request).length;
const until = (assertion: () => void) => vi.waitFor(assertion, { timeout: 10_000, interval: 5 });

describe('a well-behaved API', () => {
  test('lists in pages, then follows changes and ends', async () => {
    for (let i = 0; i < 1203; i++) api.put('pods', pod(`p${i}`));
    start({ times: PATIENT });
    await until(() => expect(store.living('Pod')).toHaveLength(1203));
    expect(count('list pods')).toBe(3);
    await until(() => expect(count('watch pods')).toBeGreaterThan(0));
    api.put('pods', pod('late', 'Pending'));
    api.put('pods', pod('p7', 'Failed'));
    api.remove('pods', 'uid-p8');
    await until(() =>
      expect(store.versions.filter((version) => version.deleted).map((version) => version.name)).toEqual(['p8']),
    );
    expect(names(store.living('Pod'))).toContain('late');
    const ofP7 = store.versions.filter((version) => version.name === 'p7');
    expect(ofP7.map((version) => JSON.parse(version.body).status.phase)).toEqual(['Running', 'Failed']);
    expect(ofP7[0]?.apiVersion).toBe('v1');
    expect(stateOf('pods')).toMatchObject({ state: 'connected', objects: 1203 });
  });

  test('asks for neither Secrets nor ConfigMaps', async () => {
    start();
    await until(() => expect(new Set(api.requests.map((request) => request.split(' ')[1])).size).toBe(11));
    expect(api.requests.filter((request) => /secret|configmap/i.test(request))).toEqual([]);
  });

  test('heartbeats, probes and a higher resourceVersion alone are no new version', async () => {
    api.put('pods', pod('a'));
    start();
    await until(() => expect(store.living('Pod')).toHaveLength(1));
    api.put('pods', pod('a'));
    api.put('pods', pod('a', 'Running', { managedFields: [{ manager: 'kubelet', time: '2026-12-01T00:00:00Z' }] }));
    api.put('pods', pod('b'));
    await until(() => expect(store.living('Pod')).toHaveLength(2));
    expect(store.versions.filter((version) => version.name === 'a')).toHaveLength(1);
  });
});

describe('a bad API', () => {
  for (const mode of ['status', 'event'] as const) {
    test(`410 as ${mode}: lists again and misses no end`, async () => {
      api.put('pods', pod('stays'));
      api.put('pods', pod('ends'));
      start();
      await until(() => expect(store.living('Pod')).toHaveLength(2));
      api.behaviour.hangWatches = true;
      api.cut();
      api.remove('pods', 'uid-ends');
      api.put('pods', pod('comes'));
      api.behaviour.expireWatches = mode;
      api.cut();
      await until(() => expect(names(store.living('Pod'))).toEqual(['comes', 'stays']));
      api.behaviour.expireWatches = 'no';
      api.behaviour.hangWatches = false;
      await until(() => expect(stateOf('pods')?.state).toBe('connected'));
      expect(store.versions.filter((version) => version.deleted).map((version) => version.name)).toEqual(['ends']);
    });
  }

  test('a page token that expires: the list begins anew', async () => {
    for (let i = 0; i < 600; i++) api.put('pods', pod(`p${i}`));
    api.behaviour.expireTokens = 1;
    start();
    await until(() => expect(store.living('Pod')).toHaveLength(600));
    expect(store.versions.filter((version) => version.deleted)).toEqual([]);
  });

  test('a watch that closes at once is opened again only after a pause that grows', async () => {
    const clock: ManualClock = manualClock(Date.parse('2026-12-01T12:00:00Z'));
    api.behaviour.closeWatchesAtOnce = true;
    start({ clock, times: {} });
    await until(() => expect(count('watch pods')).toBe(1));
    // Time stands still: whoever does not wait would spin here.
    await until(() => expect(count('watch events')).toBe(1));
    expect(count('watch pods')).toBe(1);
    for (let i = 0; i < 60; i++) {
      await clock.advance(1000);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(count('watch pods')).toBeLessThan(15);
    api.behaviour.closeWatchesAtOnce = false;
    const opened = count('watch pods');
    await until(async () => {
      await clock.advance(5000);
      expect(count('watch pods')).toBeGreaterThan(opened);
    });
  });

  test('a silent watch is given up and opened anew from where it was', async () => {
    api.put('pods', pod('a'));
    api.behaviour.hangWatches = true;
    start();
    await until(() => expect(store.living('Pod')).toHaveLength(1));
    api.put('pods', pod('b'));
    await until(() => expect(count('watch pods')).toBeGreaterThan(1));
    api.behaviour.hangWatches = false;
    await until(() => expect(names(store.living('Pod'))).toEqual(['a', 'b']));
  });

  test('an API that never answers is silent, and seen again when it does', async () => {
    api.behaviour.neverAnswer = true;
    start();
    await until(() =>
      expect(stateOf('pods')).toMatchObject({ state: 'silent', message: expect.stringContaining('no answer') }),
    );
    api.behaviour.neverAnswer = false;
    api.put('pods', pod('a'));
    await until(() => expect(stateOf('pods')?.state).toBe('connected'));
    expect(names(store.living('Pod'))).toEqual(['a']);
  });

  test('a refusal names the missing permission, and the others go on', async () => {
    api.behaviour.forbid.add('nodes');
    api.put('pods', pod('a'));
    start();
    await until(() =>
      expect(stateOf('nodes')).toMatchObject({
        state: 'refused',
        message: expect.stringContaining('may not list nodes'),
      }),
    );
    await until(() => expect(stateOf('pods')?.state).toBe('connected'));
    api.behaviour.forbid.clear();
    await until(() => expect(stateOf('nodes')?.state).toBe('connected'));
  });

  test('what the API server says is shown without its secrets, also where the text is cut', async () => {
    api.behaviour.fail = Number.POSITIVE_INFINITY;
    api.behaviour.failText = `webhook http://admin:hunter2@hook/ failed: ${'x'.repeat(140)} password=${'s'.repeat(90)}`;
    start();
    await until(() =>
      expect(stateOf('pods')).toMatchObject({ state: 'silent', message: expect.stringContaining('answered 500') }),
    );
    expect(stateOf('pods')?.message).toContain('http://[redacted:url-credentials]@hook/ failed');
    expect(stateOf('pods')?.message).not.toMatch(/hunter2|sss/);
  });

  test('a full spool makes the watch wait; nothing is lost', async () => {
    const clock = manualClock(Date.parse('2026-12-01T12:00:00Z'));
    api.put('pods', pod('a'));
    store.refuse.push(new BackPressureError('the spool is full', 7), new BackPressureError('the spool is full', 7));
    start({ clock, times: {} });
    await until(() => expect(stateOf('pods')).toMatchObject({ state: 'lagging', message: 'the spool is full' }));
    await until(async () => {
      await clock.advance(7000);
      expect(names(store.living('Pod'))).toEqual(['a']);
    });
  });

  test('under every kind of trouble at once it ends with exactly the true state', async () => {
    let seed = 7;
    const random = () => {
      seed = (seed * 1103515245 + 12345) % 2147483648;
      return seed / 2147483648;
    };
    for (let i = 0; i < 40; i++) api.put('pods', pod(`p${i}`));
    start();
    const lives = new Map<number, number>();
    for (let step = 0; step < 400; step++) {
      const index = Math.floor(random() * 60);
      // A uid is never given again: what comes back under an index is another object.
      const name = `p${index}${'x'.repeat(lives.get(index) ?? 0)}`;
      if (random() < 0.3) {
        api.remove('pods', `uid-${name}`);
        lives.set(index, (lives.get(index) ?? 0) + 1);
      } else api.put('pods', pod(name, random() < 0.5 ? 'Running' : 'Pending', { labels: { step: String(step) } }));
      if (step % 9 === 0)
        api.behaviour.expireWatches = (['no', 'status', 'event'] as const)[Math.floor(random() * 3)] ?? 'no';
      if (step % 11 === 0) api.behaviour.closeWatchesAtOnce = random() < 0.3;
      if (step % 13 === 0) api.behaviour.hangWatches = random() < 0.3;
      if (step % 17 === 0) api.behaviour.fail = Math.floor(random() * 3);
      if (step % 19 === 0) api.bookmark();
      if (step % 23 === 0) api.cut();
      if (step % 4 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    }
    Object.assign(api.behaviour, { expireWatches: 'no', closeWatchesAtOnce: false, hangWatches: false, fail: 0 });
    const form = (name: string, labels: unknown, phase: unknown) =>
      `${name} ${JSON.stringify(labels)} ${String(phase)}`;
    await until(() => {
      const truth = api
        .all('pods')
        .map((object) =>
          form(object.metadata.name, object.metadata.labels, (object.status as { phase: string }).phase),
        ); // pod() made it
      const seen = store.living('Pod').map((version) => {
        const body = JSON.parse(version.body);
        return form(version.name, body.metadata.labels, body.status.phase);
      });
      expect(seen.sort()).toEqual(truth.sort());
    });
    for (const uid of new Set(store.versions.map((version) => version.uid))) {
      const times = store.versions.filter((version) => version.uid === uid).map((version) => version.validFromMs);
      expect(times, uid).toEqual([...times].sort((a, b) => a - b));
    }
  });
});

describe('a restart', () => {
  test('writes only what differs from the store, and the end of what is gone', async () => {
    api.put('pods', pod('same'));
    api.put('pods', pod('other'));
    const [same] = api.all('pods');
    const known = ['same', 'other', 'gone'].map((name) => ({
      uid: `uid-${name}`,
      namespace: 'inference',
      name,
      resourceVersion: name === 'same' ? (same?.metadata.resourceVersion ?? '') : '1',
      validFromMs: Date.parse(CREATED),
    }));
    start({ known: async (kind) => (kind === 'Pod' ? known : []) });
    await until(() => expect(stateOf('pods')).toMatchObject({ state: 'connected', objects: 2 }));
    const written = store.versions
      .filter((version) => version.kind === 'Pod')
      .map((version) => [version.name, version.deleted]);
    expect(written.sort()).toEqual([
      ['gone', true],
      ['other', false],
    ]);
  });
});

test('a kubeconfig that cannot be read is a state, not a crash', async () => {
  start({ connection: { kubeconfig: '/nowhere/config' } });
  await until(() =>
    expect(stateOf('pods')).toMatchObject({ state: 'silent', message: expect.stringContaining('/nowhere/config') }),
  );
});
