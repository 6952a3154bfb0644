import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { type ManualClock, manualClock, silentLogger } from '../../../base/index.ts';
import { formatLabels, isStaleAt } from '../../../model/index.ts';
import { collect, describeReceiver, gzipBomb, LIMIT, nowMs, sampleLines } from '../contract.ts';
import { type Scraper, scrapeConfigSchema, startScraper } from './index.ts';

const TEXT = { 'content-type': 'text/plain; version=0.0.4' };

async function serve(handler: RequestListener): Promise<{ server: Server; address: string }> {
  const server = createServer(handler);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, address: `127.0.0.1:${(server.address() as AddressInfo).port}` }; // a TCP server has one
}

const INTERVAL = 10_000;
const config = (address: string, more: object = {}) =>
  scrapeConfigSchema.parse({
    job_name: 'node',
    scrape_interval: '10s',
    static_configs: [{ targets: [address] }],
    ...more,
  });

/** Moves time on by one interval and waits for the scrape in it to arrive. */
async function scrapeOnce(clock: ManualClock, arrived: () => number): Promise<void> {
  const before = arrived();
  await clock.advance(INTERVAL);
  for (let i = 0; arrived() === before && i < 2000; i++) await new Promise((resolve) => setTimeout(resolve, 1));
}

// As a door: each send is one page and one scrape; the code is `up`.
describeReceiver('scrape', {
  async open(options) {
    let page: { body: Buffer; headers: Record<string, string> } = { body: Buffer.alloc(0), headers: {} };
    const { server, address } = await serve((_request, response) => {
      response.writeHead(200, { ...TEXT, ...page.headers });
      response.end(page.body);
    });
    const clock = manualClock(nowMs - INTERVAL);
    let scrapes = 0;
    const sink: typeof options.sink = {
      drop: options.sink.drop,
      accept: (batch, origin) => options.sink.accept(batch, origin).finally(() => scrapes++),
    };
    const scraper = startScraper({
      clusters: [{ name: 'c', scrapeConfigs: [config(address)] }],
      sink,
      clock,
      logger: silentLogger,
      maxBodyBytes: LIMIT,
    });
    return {
      async send(body, headers = {}) {
        page = { body, headers };
        await scrapeOnce(clock, () => scrapes);
        const [target] = scraper.targets();
        return { code: target?.health === 'up' ? 1 : 0, text: target?.lastError ?? '' };
      },
      async close() {
        await scraper.close();
        server.close();
      },
    };
  },
  good: {
    body: Buffer.from('# TYPE a gauge\na{x="1"} 1.5\na{x="2"} -2\n'),
    code: 1,
    arrives: (batches) => {
      const lines = sampleLines(batches).map((line) =>
        line.replace(/instance="[^"]*"/, 'instance="i"').replace(/ @.*/, ''),
      );
      expect(lines.slice(0, 3)).toEqual([
        'a{cluster="c", instance="i", job="node", x="1"} 1.5',
        'a{cluster="c", instance="i", job="node", x="2"} -2',
        'up{cluster="c", instance="i", job="node"} 1',
      ]);
    },
  },
  malformed: [
    {
      title: 'a bad line',
      body: Buffer.from('a 1\nb{x="1"} one\n'),
      code: 0,
      text: /^line 2, character 10: expected a number as the value: b\{x="1"} one$/,
    },
    {
      title: 'damaged gzip',
      body: Buffer.from('nonsense'),
      headers: { 'content-encoding': 'gzip' },
      code: 0,
      text: /gzip/,
    },
    {
      title: 'a page of another type',
      body: Buffer.from('{}'),
      headers: { 'content-type': 'application/json' },
      code: 0,
      text: /content type "application\/json" is no metrics format/,
    },
    {
      title: 'OpenMetrics without its end',
      body: Buffer.from('a 1\n'),
      headers: { 'content-type': 'application/openmetrics-text' },
      code: 0,
      text: /# EOF/,
    },
  ],
  tooLarge: [
    { title: 'as sent', body: Buffer.alloc(LIMIT + 1, '\n'), code: 0 },
    { title: 'a gzip bomb', body: gzipBomb(), headers: { 'content-encoding': 'gzip' }, code: 0 },
  ],
  busy: { code: 1, retries: false },
});

describe('scraper', () => {
  let cleanUp: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const step of cleanUp) await step();
    cleanUp = [];
  });

  /** A target that serves what `page` says, and a scraper on a clock of its own. */
  async function start(more: object = {}, staticLabels: Record<string, string> = {}) {
    const page = { status: 200, body: 'a 1\n', headers: TEXT as Record<string, string> };
    const urls: string[] = [];
    const { server, address } = await serve((request, response) => {
      urls.push(request.url ?? '');
      response.writeHead(page.status, page.headers);
      response.end(page.body);
    });
    const clock = manualClock(nowMs);
    const ingest = collect(clock);
    const scrapeConfigs = [
      config(address, { ...more, static_configs: [{ targets: [address], labels: staticLabels }] }),
    ];
    const scraper: Scraper = startScraper({
      clusters: [{ name: 'prod-eu', scrapeConfigs }],
      sink: ingest.sink,
      clock,
      logger: silentLogger,
    });
    cleanUp.push(
      () => scraper.close(),
      async () => void server.close(),
    );
    return {
      page,
      urls,
      clock,
      scraper,
      scrapeConfigs,
      telemetry: ingest.telemetry,
      batches: ingest.batches,
      /** The lines of one more scrape: page samples, stale markers as `stale`, reports last; common labels left out. */
      async scrape(body?: string) {
        if (body !== undefined) page.body = body;
        const count = ingest.batches.length;
        await scrapeOnce(clock, () => ingest.batches.length);
        return ingest.batches.slice(count).flatMap(({ samples }) =>
          Array.from(samples?.values ?? [], (value, i) => {
            const labels = formatLabels(samples?.series[samples.seriesOf[i] ?? 0]?.labels ?? [])
              .replace(/(cluster="prod-eu"|job="node"|instance="127[^"]*")(, )?/g, '')
              .replace(/, }/, '}')
              .replace('{}', '');
            return `${labels} ${samples && isStaleAt(samples.values, i) ? 'stale' : value}`;
          }),
        );
      },
    };
  }
  const samplesOnly = (lines: string[]) => lines.filter((line) => !/^(up|scrape_)/.test(line));

  it('reports about each scrape as Prometheus does', async () => {
    const { scrape } = await start();
    const withoutDuration = (lines: string[]) => lines.map((line) => line.replace(/(duration_seconds) .*/, '$1'));
    expect(withoutDuration(await scrape('a 1\nb 2\n'))).toEqual([
      'a 1',
      'b 2',
      'up 1',
      'scrape_duration_seconds',
      'scrape_samples_scraped 2',
      'scrape_samples_post_metric_relabeling 2',
      'scrape_series_added 2',
    ]);
    expect(withoutDuration(await scrape('a 1\nc 2\n'))).toEqual([
      'a 1',
      'c 2',
      'b stale',
      'up 1',
      'scrape_duration_seconds',
      'scrape_samples_scraped 2',
      'scrape_samples_post_metric_relabeling 2',
      'scrape_series_added 1',
    ]);
  });

  it('marks every series stale once when a scrape fails, and takes up again', async () => {
    const { page, scrape, scraper } = await start();
    await scrape('a 1\nb 2\n');
    page.status = 503;
    expect((await scrape()).slice(0, 3)).toEqual(['a stale', 'b stale', 'up 0']);
    expect(scraper.targets()[0]).toMatchObject({ health: 'down', lastError: 'server returned HTTP status 503' });
    expect(samplesOnly(await scrape())).toEqual([]);
    page.status = 200;
    expect((await scrape()).slice(0, 3)).toEqual(['a 1', 'b 2', 'up 1']);
    expect(samplesOnly(await scrape('a 1\n'))).toEqual(['a 1', 'b stale']);
  });

  it('takes nothing of a page with a bad line', async () => {
    const { scrape, scraper, telemetry } = await start();
    await scrape('a 1\nb 2\n');
    expect((await scrape('a 3\nnew 1\nb{ 4\n')).slice(0, 3)).toEqual(['a stale', 'b stale', 'up 0']);
    expect(scraper.targets()[0]?.lastError).toMatch(/^line 3/);
    expect(telemetry().dropped).toMatchObject([{ reason: 'unreadable', signal: 'samples' }]);
    expect(samplesOnly(await scrape('a 5\nb 6\n'))).toEqual(['a 5', 'b 6']);
  });

  it('keeps explicit timestamps, and gives such series no stale marker', async () => {
    const { scrape, batches } = await start();
    await scrape(`a 1 ${nowMs - 5000}\n`);
    expect(batches[0]?.samples?.timesMs[0]).toBe(nowMs - 5000);
    expect(samplesOnly(await scrape('b 1\n'))).toEqual(['b 1']);
  });

  it('ignores explicit timestamps with honor_timestamps: false', async () => {
    const { scrape } = await start({ honor_timestamps: false });
    await scrape(`a 1 ${nowMs - 5000}\n`);
    expect(samplesOnly(await scrape('b 1\n'))).toEqual(['b 1', 'a stale']);
  });

  it('stores the first of two lines for one series and counts the other, whatever order the labels have', async () => {
    const { scrape, telemetry } = await start();
    expect(samplesOnly(await scrape('a{x="1",y="2"} 1\na{y="2",x="1"} 2\na{x="1",y="2"} 3\n'))).toEqual([
      'a{x="1", y="2"} 1',
    ]);
    expect(telemetry().dropped).toMatchObject([{ reason: 'duplicate_value', count: 2 }]);
    expect(samplesOnly(await scrape('a{y="2",x="1"} 4\n'))).toEqual(['a{x="1", y="2"} 4']);
  });

  it.each([
    [{}, 'a{job="x",exported_job="y",instance=""} 1\n', 'a{exported_exported_job="x", exported_job="y"} 1'],
    [{ honor_labels: true }, 'a{job="x"} 1\n', 'a{job="x"} 1'],
    [{}, 'a{cluster="own"} 1\n', 'a{cluster="own"} 1'],
  ])('with %j the page %j becomes %s', async (more, page, expected) => {
    const { scrape } = await start(more);
    expect((await scrape(page))[0]).toBe(expected);
  });

  it('refuses a page over sample_limit', async () => {
    const { scrape, scraper } = await start({ sample_limit: 2 });
    expect(samplesOnly(await scrape('a 1\nb 1\nc 1\n'))).toEqual([]);
    expect(scraper.targets()[0]?.lastError).toMatch(/3 samples, more than sample_limit 2/);
  });

  it('asks where and how the configuration says', async () => {
    const more = { metrics_path: '/m', params: { 'collect[]': ['a', 'b'] } };
    const { scrape, urls, scraper } = await start(more, { __metrics_path__: '/other', zone: 'z' });
    await scrape();
    expect(urls).toEqual(['/other?collect%5B%5D=a&collect%5B%5D=b']);
    expect(scraper.targets()[0]).toMatchObject({ job: 'node', labels: { job: 'node', zone: 'z' }, cluster: 'prod-eu' });
  });

  it('keeps its times on an exact grid', async () => {
    const { scrape, batches } = await start();
    for (let i = 0; i < 3; i++) await scrape();
    const times = batches.map(({ samples }) => samples?.timesMs[0] ?? 0);
    expect(times.map((time) => time - (times[0] ?? 0))).toEqual([0, INTERVAL, 2 * INTERVAL]);
  });

  it('gives up after scrape_timeout', async () => {
    const { server, address } = await serve((_request, response) => {
      response.writeHead(200, TEXT);
      response.write('a 1\n'); // and never an end
    });
    const clock = manualClock(nowMs);
    const ingest = collect(clock);
    const scraper = startScraper({
      clusters: [{ name: 'c', scrapeConfigs: [config(address, { scrape_timeout: '5s' })] }],
      sink: ingest.sink,
      clock,
      logger: silentLogger,
    });
    cleanUp.push(
      () => scraper.close(),
      async () => server.closeAllConnections(),
      async () => void server.close(),
    );
    for (let i = 0; ingest.batches.length === 0 && i < 2000; i++) {
      await clock.advance(1000);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    expect(scraper.targets()[0]).toMatchObject({ health: 'down', lastError: 'no complete answer within 5 s' });
  });

  it('marks the series of a target that left, reports included, and only then', async () => {
    const { scrape, scraper, clock, batches, scrapeConfigs } = await start();
    await scrape();
    scraper.update([{ name: 'prod-eu', scrapeConfigs }]);
    await scrape();
    expect(batches).toHaveLength(2);
    scraper.update([]);
    expect(scraper.targets()).toEqual([]);
    const turn = () => new Promise((resolve) => setTimeout(resolve, 0));
    await turn();
    await clock.advance(INTERVAL);
    await turn();
    expect(batches).toHaveLength(2);
    await clock.advance(2 * INTERVAL);
    await turn();
    const last = batches[2]?.samples;
    expect(last?.values).toHaveLength(6);
    expect(last && Array.from(last.values, (_, i) => isStaleAt(last.values, i))).toEqual(Array(6).fill(true));
    expect(last?.timesMs[0]).toBe((batches[1]?.samples?.timesMs[0] ?? 0) + INTERVAL);
  });

  it('writes no markers for a target that only changed how it is scraped', async () => {
    const { scrape, scraper, clock, batches, scrapeConfigs } = await start();
    await scrape();
    scraper.update([{ name: 'prod-eu', scrapeConfigs: scrapeConfigs.map((c) => ({ ...c, sample_limit: 100 })) }]);
    for (let i = 0; i < 4; i++) await scrape();
    await clock.advance(INTERVAL);
    const stale = batches.flatMap(({ samples }) =>
      Array.from(samples?.values ?? [], (_, i) => samples && isStaleAt(samples.values, i)),
    );
    expect(stale).not.toContain(true);
  });

  it('passes metadata on when it is new or changed', async () => {
    const { scrape, batches } = await start();
    await scrape('# HELP a It counts.\n# TYPE a counter\na 1\n');
    await scrape();
    await scrape('# HELP a It gauges.\n# TYPE a gauge\na 1\n');
    expect(batches.map(({ metadata }) => metadata)).toEqual([
      [{ family: 'a', type: 'counter', help: 'It counts.', unit: '' }],
      undefined,
      [{ family: 'a', type: 'gauge', help: 'It gauges.', unit: '' }],
    ]);
  });

  it('forgets the metadata of families that left the page, but not when the page failed', async () => {
    const { scrape, batches } = await start();
    const both = '# TYPE a counter\na 1\n# TYPE b gauge\nb 1\n';
    await scrape(both);
    await scrape('a{ 1\n');
    await scrape(both);
    await scrape('# TYPE a counter\na 1\n');
    await scrape(both);
    expect(batches.map(({ metadata }) => metadata?.map(({ family }) => family))).toEqual([
      ['a', 'b'],
      undefined,
      undefined,
      undefined,
      ['b'],
    ]);
  });

  it('decompresses gzip', async () => {
    const { server, address } = await serve((_request, response) => {
      response.writeHead(200, { ...TEXT, 'content-encoding': 'gzip' });
      response.end(gzipSync('a 1\n'));
    });
    const clock = manualClock(nowMs);
    const ingest = collect(clock);
    const scraper = startScraper({
      clusters: [{ name: 'c', scrapeConfigs: [config(address)] }],
      sink: ingest.sink,
      clock,
      logger: silentLogger,
    });
    cleanUp.push(
      () => scraper.close(),
      async () => void server.close(),
    );
    await scrapeOnce(clock, () => ingest.batches.length);
    expect(scraper.targets()[0]).toMatchObject({ health: 'up', samples: 1 });
  });
});

describe('scrape configuration', () => {
  it.each<[object, RegExp]>([
    [{ job_name: 'x', scrape_intervall: '1s' }, /scrape_intervall/],
    [{ job_name: 'x', scrape_interval: 'soon' }, /soon\\" is not a duration/],
    [{ job_name: 'x', scrape_interval: '5s', scrape_timeout: '10s' }, /longer than scrape_interval/],
    [{ job_name: 'x', static_configs: [{ targets: ['http://a:1/metrics'] }] }, /is an address/],
    [{ job_name: 'x', body_size_limit: 'big' }, /big\\" is not a size/],
    [{ scrape_interval: '5s' }, /job_name/],
  ])('refuses %j', (given, message) => {
    expect(() => scrapeConfigSchema.parse(given)).toThrow(message);
  });

  it('has Prometheus’ defaults', () => {
    expect(scrapeConfigSchema.parse({ job_name: 'x', body_size_limit: '10MB' })).toEqual({
      job_name: 'x',
      scrape_interval: 60_000,
      metrics_path: '/metrics',
      scheme: 'http',
      params: {},
      static_configs: [],
      honor_labels: false,
      honor_timestamps: true,
      sample_limit: 0,
      body_size_limit: 10 * 1024 * 1024,
    });
  });
});
