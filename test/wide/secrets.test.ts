import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { SeverityNumber } from '@opentelemetry/api-logs';
import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-grpc';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-grpc';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchLogRecordProcessor, LoggerProvider } from '@opentelemetry/sdk-logs';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { compressSync } from 'snappy';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { silentLogger, systemClock } from '../../src/base/index.ts';
import { openRecords, openStore } from '../../src/store/index.ts';
import { BEGINNING, OWN_RULE, type Planted, plantSecrets } from '../programs/planted-secrets.ts';
import { temporaryFolder, waitFor } from '../programs/process.ts';
import { field, varint } from '../programs/protobuf.ts';
import { REMOTE_WRITE_HEADERS } from '../programs/remote-write.ts';
import { type RunningTrifocal, startTrifocal } from '../programs/trifocal.ts';

/**
 * Secrets of every rule go in through every door, then every byte that the server left is searched for them: the files as
 * they are, the tables and records as they read, its log, and what its pages answered.
 */
const secrets = plantSecrets();
const folder = temporaryFolder('secrets');
const data = join(folder.path, 'data');
const now = Date.now();
const nowNs = (i = 0) => `${BigInt(now) * 1_000_000n + BigInt(i)}`;

let server: RunningTrifocal;
let scraped: { server: Server; port: number };
let kubernetes: { server: Server; port: number };
/** What the server answered to anybody. */
const answers: string[] = [];
/** What arrived, and so must be found again by its marker. */
const kept: Planted[] = [];

const keep = <T extends Planted | Planted[]>(planted: T): T => {
  kept.push(...[planted].flat());
  return planted;
};

/** Sends one of the texts; each place that takes only one gets another. */
function keepOne(where: string, index: number): string {
  const one = secrets.texts(where).at(index);
  if (one === undefined) throw new Error(`there is no text ${index}`);
  return keep(one).text;
}

async function post(
  url: string,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = {},
): Promise<number> {
  const response = await fetch(url, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', ...headers },
  });
  answers.push(await response.text());
  return response.status;
}

async function get(path: string): Promise<string> {
  const text = await (await fetch(server.http + path)).text();
  answers.push(text);
  return text;
}

beforeAll(async () => {
  scraped = await listen(scrapePages());
  kubernetes = await listen(kubernetesAnswers());
  const token = secrets.bare('k8stoken', 'bearer').secret;
  const target = (job: string, params: object = {}) => ({
    job_name: job,
    scrape_interval: '2s',
    metrics_path: `/${job}`,
    static_configs: [{ targets: [`127.0.0.1:${scraped.port}`] }],
    ...params,
  });
  const query = secrets.bare('scrapeparams', 'api-key').secret;
  writeFileSync(
    join(folder.path, 'trifocal.yaml'),
    JSON.stringify({
      redaction: { patterns: [OWN_RULE] },
      log: { level: 'debug' },
      clusters: [
        {
          name: 'lab',
          kubernetes: { url: `http://127.0.0.1:${kubernetes.port}`, token },
          scrape_configs: [target('good'), target('malformed'), target('failing', { params: { token: [query] } })],
        },
      ],
    }),
  );
  const program = process.env.TRIFOCAL_TEST_SOURCE === undefined ? 'built' : 'source';
  server = await startTrifocal({ data, args: ['--config', join(folder.path, 'trifocal.yaml')], program });
});

afterAll(async () => {
  await server?.stop();
  for (const one of [scraped, kubernetes]) {
    one?.server.closeAllConnections();
    one?.server.close();
  }
  folder.remove();
});

test('remote write: values, names and metadata of series, exemplars', async () => {
  const body: Buffer[] = [];
  for (const [i, one] of keep(secrets.texts('rw')).entries())
    body.push(series({ __name__: `rw_${i}`, note: one.text }));
  const byName = secrets.bare('rwname', 'password');
  body.push(series({ __name__: 'rw_by_name', password: byName.secret }));
  const exemplar = keep(secrets.texts('rwexemplar'));
  body.push(
    series(
      { __name__: 'rw_exemplars' },
      exemplar.map(({ text }) => text),
    ),
  );
  const metadata = keep(secrets.texts('rwhelp')).map(({ text }, i) =>
    field(3, Buffer.concat([Buffer.from([8, 1]), field(2, `rw_help_${i}`), field(4, text)])),
  );
  const message = Buffer.concat([...body, ...metadata]);
  const status = await post(
    `${server.http}/prometheus/api/v1/write`,
    new Uint8Array(compressSync(message)),
    REMOTE_WRITE_HEADERS,
  );
  expect([status, answers.at(-1)]).toEqual([204, '']);
});

test('OTLP over HTTP with JSON: all signals, wherever they hold text', async () => {
  const text = (where: string) => keep(secrets.texts(where));
  const attributes = (where: string) => [
    ...text(where).map((one, i) => ({ key: `note${i}`, value: { stringValue: one.text } })),
    { key: 'db.password', value: { stringValue: secrets.bare(`${where}key`, 'password').secret } },
    { key: 'admin.password', value: { intValue: `${secrets.number(`${where}intkey`, 'password')}` } },
    { key: 'admin.api_key', value: { doubleValue: secrets.number(`${where}doublekey`, 'api-key') } },
    { key: 'gen_ai.prompt', value: { stringValue: secrets.bare(`${where}prompt`, 'prompt').secret } },
    {
      key: 'nested',
      value: {
        kvlistValue: {
          values: [
            { key: 'api_key', value: { stringValue: secrets.bare(`${where}nested`, 'api-key').secret } },
            {
              key: 'list',
              value: { arrayValue: { values: text(`${where}list`).map((one) => ({ stringValue: one.text })) } },
            },
            {
              key: 'bytes',
              value: { bytesValue: Buffer.from(secrets.texts(`${where}bytes`).at(5)?.text ?? '').toString('base64') },
            },
          ],
        },
      },
    },
    ...secrets.texts(`${where}name`).map((one) => ({ key: one.text, value: { intValue: '1' } })),
  ];
  const resource = (where: string) => ({
    attributes: [{ key: 'service.name', value: { stringValue: where } }, ...attributes(`${where}res`)],
  });
  const scope = (where: string) => ({ name: where, attributes: attributes(`${where}scope`) });
  /** Scopes of metrics are no labels of theirs, as in Prometheus, so nothing of it is found again. */
  const unkeptScope = {
    name: 'ms',
    attributes: secrets.texts('msscope').map(({ text }, i) => ({ key: `n${i}`, value: { stringValue: text } })),
  };
  const logRecords = [
    ...text('otlpbody').map((one, i) => ({ timeUnixNano: nowNs(i), body: { stringValue: one.text } })),
    { timeUnixNano: nowNs(90), body: { stringValue: 'with attributes' }, attributes: attributes('otlplog') },
    {
      timeUnixNano: nowNs(91),
      body: {
        kvlistValue: { values: text('otlpmap').map((one, i) => ({ key: `k${i}`, value: { stringValue: one.text } })) },
      },
    },
  ];
  const url = (signal: string) => `${server.otlpHttp}/v1/${signal}`;
  const logs = { resourceLogs: [{ resource: resource('l'), scopeLogs: [{ scope: scope('ls'), logRecords }] }] };
  expect(await post(url('logs'), JSON.stringify(logs))).toBe(200);

  const spans = text('otlpspan').map((one, i) => ({
    traceId: '5b8efff798038103d269b633813fc60c',
    spanId: `eee19b7ec3c1${(0xb000 + i).toString(16)}`,
    name: one.text,
    startTimeUnixNano: nowNs(),
    endTimeUnixNano: nowNs(5),
    status: { code: 2, message: keepOne('otlpstatus', i) },
    ...(i > 0
      ? {}
      : {
          attributes: attributes('otlpspanattr'),
          events: text('otlpevent').map((one, event) => ({
            timeUnixNano: nowNs(1),
            name: one.text,
            attributes: event === 0 ? attributes('otlpeventattr') : [],
          })),
          links: [
            {
              traceId: '5b8efff798038103d269b633813fc60c',
              spanId: 'eee19b7ec3c1b174',
              attributes: attributes('otlplink'),
            },
          ],
        }),
  }));
  const traces = { resourceSpans: [{ resource: resource('t'), scopeSpans: [{ scope: scope('ts'), spans }] }] };
  expect(await post(url('traces'), JSON.stringify(traces))).toBe(200);

  const metrics = text('otlpmetric').map((one, i) => ({
    name: `otlp_metric_${i}`,
    description: keepOne('otlpdescription', i),
    gauge: {
      dataPoints: [
        {
          timeUnixNano: nowNs(),
          asDouble: 1,
          attributes: [{ key: 'note', value: { stringValue: one.text } }],
          exemplars: [
            {
              timeUnixNano: nowNs(),
              asDouble: 1,
              filteredAttributes: [{ key: 'note', value: { stringValue: secrets.texts('otlpexemplar').at(i)?.text } }],
            },
          ],
        },
      ],
    },
  }));
  const body = { resourceMetrics: [{ resource: resource('m'), scopeMetrics: [{ scope: unkeptScope, metrics }] }] };
  expect(await post(url('metrics'), JSON.stringify(body))).toBe(200);
  expect(answers.at(-1)).not.toMatch(/rejected/i);
});

test('OTLP over gRPC', async () => {
  const url = `http://${server.otlpGrpc}`;
  const resource = resourceFromAttributes({
    'service.name': 'grpc',
    note: keepOne('grpcres', 5),
  });
  const tracers = new BasicTracerProvider({
    resource,
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter({ url }))],
  });
  for (const one of keep(secrets.texts('grpcspan'))) tracers.getTracer('t').startSpan(one.text).end();
  await tracers.forceFlush();
  await tracers.shutdown();
  const loggers = new LoggerProvider({
    resource,
    processors: [new BatchLogRecordProcessor({ exporter: new OTLPLogExporter({ url }) })],
  });
  for (const one of keep(secrets.texts('grpclog'))) {
    loggers.getLogger('l').emit({ body: one.text, severityNumber: SeverityNumber.INFO });
  }
  await loggers.forceFlush();
  await loggers.shutdown();
});

test('OTLP logs of the collector’s k8sobjects, Secrets among them', async () => {
  const secret = secrets.bare('k8ssecret', 'api-key').secret;
  const objects = [
    podObject('k8sobjects'),
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 's', namespace: 'n', uid: 'secret-1', resourceVersion: '5' },
      data: { key: Buffer.from(secret).toString('base64') },
      stringData: { key: secret },
    },
  ];
  // The base64 of a secret is one, too.
  secrets.bare('k8sbase64', 'api-key').secret = Buffer.from(secret).toString('base64');
  const logRecords = objects.map((object, i) => ({
    timeUnixNano: nowNs(i),
    body: anyValue({ object, type: 'ADDED' }),
    attributes: [{ key: 'k8s.resource.name', value: { stringValue: 'pods' } }],
  }));
  const scope = { name: 'github.com/open-telemetry/opentelemetry-collector-contrib/receiver/k8sobjectsreceiver' };
  const body = { resourceLogs: [{ resource: {}, scopeLogs: [{ scope, logRecords }] }] };
  expect(await post(`${server.otlpHttp}/v1/logs`, JSON.stringify(body))).toBe(200);
});

test('Loki push: labels, lines, structured metadata', async () => {
  const streams = [
    {
      stream: {
        app: 'a',
        note: keepOne('lokilabel', 7),
        password: secrets.bare('lokikey', 'password').secret,
      },
      values: keep(secrets.texts('lokiline')).map((one, i) => [
        nowNs(i),
        one.text,
        { note: keepOne('lokimeta', i), api_key: secrets.bare('lokimetakey', 'api-key').secret },
      ]),
    },
  ];
  expect(await post(`${server.http}/loki/api/v1/push`, JSON.stringify({ streams }))).toBe(204);
});

test('Fluent Bit', async () => {
  const records = keep(secrets.texts('fluent')).map((one, i) => ({
    date: now / 1000 + i / 1000,
    log: one.text,
    password: secrets.bare('fluentkey', 'password').secret,
    db: { password: secrets.number('fluentint', 'password') },
    kubernetes: { pod_name: 'p-0', annotations: { note: keepOne('fluentmeta', i) } },
  }));
  expect(await post(`${server.http}/ingest/fluentbit`, JSON.stringify(records))).toBeLessThan(300);
});

test('bodies that cannot be read, and signals that are refused', async () => {
  const texts = secrets.texts('malformed');
  for (const { text } of texts) {
    await post(`${server.http}/loki/api/v1/push`, `{"streams": [${JSON.stringify(text)}, nonsense]}`);
    await post(`${server.otlpHttp}/v1/logs`, `{"resourceLogs": ${JSON.stringify(text)}}`);
    await post(
      `${server.otlpHttp}/v1/traces`,
      `{"resourceSpans": [{"scopeSpans": [{"spans": [{"traceId": ${JSON.stringify(text)}}]}]}]}`,
    );
    await post(`${server.otlpHttp}/v1/metrics`, `${text}`);
    await post(`${server.http}/ingest/fluentbit`, `[{"log": ${JSON.stringify(text)}`);
    await post(
      `${server.http}/prometheus/api/v1/write`,
      new Uint8Array(compressSync(Buffer.from(text))),
      REMOTE_WRITE_HEADERS,
    );
  }
  const stream = (text: string) => ({ stream: { note: text }, values: [['1000000000', text]] });
  const old = { streams: secrets.texts('tooold').map(({ text }) => stream(text)) };
  expect(await post(`${server.http}/loki/api/v1/push`, JSON.stringify(old))).toBeGreaterThanOrEqual(400);
  const many = Object.fromEntries(
    secrets.texts('toomany').flatMap(({ text }, i) => [0, 1, 2, 3].map((k) => [`l${i}_${k}`, text])),
  );
  await post(
    `${server.http}/prometheus/api/v1/write`,
    new Uint8Array(compressSync(series({ __name__: 'many', ...many }))),
    REMOTE_WRITE_HEADERS,
  );
});

test('the own API: investigations, bad queries, addresses', async () => {
  // What it answers quotes the question to who asked it, so only what is left of it counts.
  const ask = async (path: string, body: object) => {
    const headers = { 'content-type': 'application/json' };
    await fetch(server.http + path, { method: 'POST', headers, body: JSON.stringify(body) });
  };
  for (const { text } of secrets.texts('api')) {
    const subject = `service:lab/-/${encodeURIComponent(text)}`;
    await ask('/api/investigations', { subject, from: 'now-1h', to: 'now' });
    await ask('/api/investigations', { subject: text, symptom: text, from: text, to: 'now' });
    const asked = encodeURIComponent(`up{x=${JSON.stringify(text)}`);
    await fetch(`${server.http}/prometheus/api/v1/query?query=${asked}`);
    await fetch(`${server.http}/api/logs?traceId=${encodeURIComponent(text.slice(-30))}`);
    await fetch(`${server.http}/nowhere?note=${encodeURIComponent(text)}`);
    await ask('/api/redaction/test', { text });
  }
});

test('nothing that the server left or says holds a secret, and what arrived is there, marked', async () => {
  await waitFor('the scrapes and the watch', async () => {
    const telemetry = JSON.parse(await get('/api/telemetry')) as {
      sources: { kind: string; name: string; message?: string }[];
    }; // the contract's shape
    const failing = telemetry.sources.filter(
      ({ kind, message }) => kind === 'scrape' && message?.includes('cannot be had'),
    );
    const watched = telemetry.sources.some(({ kind, name }) => kind === 'kubernetes' && name === 'pods');
    return (failing.length === 2 && watched) || undefined;
  });
  for (const path of [
    '/metrics',
    '/api/status',
    '/api/cardinality',
    '/api/redaction',
    '/api/investigations',
    '/api/telemetry',
  ]) {
    await get(path);
  }
  const rules = JSON.parse(await get('/api/redaction')) as { rules: { name: string; count: number }[] }; // the contract's shape
  expect(rules.rules.filter(({ count }) => count === 0)).toEqual([]);
  await waitFor('the spool to be empty', async () => {
    const { spool } = JSON.parse(await get('/api/telemetry')) as { spool: { bytes: number } }; // the contract's shape
    return spool.bytes === 0 || undefined;
  });
  const log = server.output();
  await server.stop('SIGTERM');

  const places: [string, string][] = [
    ...filesOf(data).map((file): [string, string] => [file, readFileSync(file, 'latin1')]),
    ['the log', log],
    ['the answers', answers.join('\n')],
    ['the store', await dumpStore(join(data, 'engine'))],
    ['the records', await dumpRecords(join(data, 'records'))],
  ];
  const found = places.flatMap(([place, content]) => findSecrets(content).map((what) => `${what} in ${place}`));
  expect(found).toEqual([]);

  // The search can find: what was planted beside the secrets is there, and the mark where the secret was.
  const store = places.find(([place]) => place === 'the store')?.[1] ?? '';
  const lost = kept.filter(({ marker, rule }) => {
    const at = store.indexOf(`${marker} `);
    return at < 0 || !store.slice(at, at + 300).includes(`[redacted:${rule}]`);
  });
  expect([...new Set(lost.map(({ where, rule }) => `${where}: ${rule}`))]).toEqual([]);
});

/** Which secrets a text holds: as they are, in one piece, or as an address writes them. */
function findSecrets(content: string): string[] {
  const found = new Set<string>();
  for (const { index } of content.matchAll(BEGINNING)) {
    const here = content.slice(index, index + 300);
    for (const { secret, rule, where } of secrets.all()) {
      const forms = [secret, secret.replaceAll(' ', ''), encodeURIComponent(secret)];
      if (forms.some((form) => here.startsWith(form))) found.add(`${rule} of ${where}`);
    }
  }
  return [...found];
}

function filesOf(path: string): string[] {
  return readdirSync(path, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** Everything in every table, as text: files hold it compressed. */
async function dumpStore(path: string): Promise<string> {
  const keep = { metrics: 'forever', logs: 'forever', traces: 'forever', objects: 'forever' } as const;
  const engine = { kind: 'embedded', folder: path, memoryBytes: 1024 ** 3 } as const;
  const store = await openStore({ engine, retention: keep, clock: systemClock, logger: silentLogger });
  try {
    const column = async (text: string) => {
      const values: string[] = [];
      for await (const { columns } of store.port.select(
        { text, params: {} },
        { limits: { seconds: 60, memoryBytes: 1024 ** 3 } },
      )) {
        for (const value of [...columns.values()][0] ?? []) values.push(String(value));
      }
      return values;
    };
    const tables = await column(
      "SELECT name FROM system.tables WHERE database = currentDatabase() AND engine NOT LIKE '%View%'",
    );
    expect(tables.length).toBeGreaterThan(5);
    const rows: string[] = [];
    for (const table of tables) rows.push(...(await column(`SELECT toString(tuple(*)) FROM \`${table}\``)));
    return rows.join('\n');
  } finally {
    await store.close();
  }
}

async function dumpRecords(path: string): Promise<string> {
  const records = await openRecords({ folder: path });
  try {
    const rows: string[] = [];
    for await (const row of records.dump()) rows.push(JSON.stringify(row));
    return rows.join('\n');
  } finally {
    await records.close();
  }
}

function series(labels: Record<string, string>, exemplars: readonly string[] = []): Buffer {
  const pair = (name: string, value: string) => field(1, Buffer.concat([field(1, name), field(2, value)]));
  const pairs = Object.keys(labels)
    .sort()
    .map((name) => pair(name, labels[name] ?? ''));
  return field(
    1,
    Buffer.concat([
      ...pairs,
      field(2, Buffer.concat([double(1), Buffer.from([16]), varint(BigInt(now))])),
      ...exemplars.map((text, i) =>
        field(3, Buffer.concat([pair('note', text), double(2), Buffer.from([24]), varint(BigInt(now + i))])),
      ),
    ]),
  );

  function double(number: number): Buffer {
    const bytes = Buffer.alloc(9);
    bytes[0] = (number << 3) | 1;
    bytes.writeDoubleLE(1, 1);
    return bytes;
  }
}

function anyValue(value: unknown): object {
  if (Array.isArray(value)) return { arrayValue: { values: value.map(anyValue) } };
  if (value !== null && typeof value === 'object') {
    return { kvlistValue: { values: Object.entries(value).map(([key, item]) => ({ key, value: anyValue(item) })) } };
  }
  return typeof value === 'number' ? { intValue: String(value) } : { stringValue: String(value) };
}

/** A pod with secrets wherever people put them. */
function podObject(where: string): object {
  const containers = [
    {
      name: 'c',
      image: 'registry.example.com/app:1',
      env: [
        ...keep(secrets.texts(`${where}env`)).map(({ text }, i) => ({ name: `NOTE_${i}`, value: text })),
        { name: 'DB_PASS', value: secrets.bare(`${where}pass`, 'password').secret },
        { name: 'HF_TOKEN', value: secrets.bare(`${where}token`, 'api-key').secret },
      ],
      args: [
        'serve',
        '--api-key',
        secrets.bare(`${where}arg`, 'api-key').secret,
        `--auth-token=${secrets.bare(`${where}argis`, 'api-key').secret}`,
      ],
      command: ['sh', '-c', `run --password ${secrets.bare(`${where}command`, 'password').secret}`],
    },
  ];
  const applied = {
    kind: 'Pod',
    spec: { containers: [{ env: [{ name: 'DB_PASS', value: secrets.bare(`${where}applied`, 'password').secret }] }] },
    // The watch leaves this annotation out, since it says the object again.
    note: where === 'k8swatch' ? secrets.texts(`${where}appliednote`).at(7)?.text : keepOne(`${where}appliednote`, 7),
  };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `${where}-0`,
      namespace: 'n',
      uid: `${where}-uid`,
      resourceVersion: '5',
      creationTimestamp: new Date(now - 60_000).toISOString(),
      annotations: {
        'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify(applied),
        'example.com/api-key': secrets.bare(`${where}annotation`, 'api-key').secret,
        'example.com/note': keepOne(`${where}annotationnote`, 3),
      },
    },
    spec: { containers },
    status: { phase: 'Running', message: keepOne(`${where}status`, 5) },
  };
}

type Handler = (path: string) => { status: number; body: string; endless?: boolean };

async function listen(handler: Handler): Promise<{ server: Server; port: number }> {
  const server = createServer((request, response) => {
    const { status, body, endless } = handler(request.url ?? '/');
    response.writeHead(status, { 'content-type': body.startsWith('{') ? 'application/json' : 'text/plain' });
    if (endless) response.write(body);
    else response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return { server, port: address.port };
}

/** One good page, one that cannot be read and quotes secrets, one that fails with secrets in its answer. */
function scrapePages(): Handler {
  const value = (text: string) => text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
  const help = keep(secrets.texts('scrapehelp')).map(
    ({ text }, i) => `# HELP s_${i} ${text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}\n`,
  );
  const lines = keep(secrets.texts('scrapelabel')).map(({ text }, i) => `${help[i]}s_${i}{note="${value(text)}"} 1\n`);
  const malformed = secrets.texts('scrapeerror').map(({ text }) => `bad{note="${value(text)}" nonsense\n`);
  let turn = 0;
  return (path) => {
    if (path.startsWith('/good')) return { status: 200, body: lines.join('') };
    if (path.startsWith('/malformed')) return { status: 200, body: malformed[turn++ % malformed.length] ?? '' };
    return { status: 500, body: secrets.texts('scrapefailure').at(turn++ % 5)?.text ?? '' };
  };
}

/** Lists one pod; watches of it stay open; everything else is empty or refused with a secret in the reason. */
function kubernetesAnswers(): Handler {
  const pod = podObject('k8swatch');
  const refusal = secrets.texts('k8serror').at(5)?.text;
  return (path) => {
    if (path.includes('watch=')) return { status: 200, body: '', endless: true };
    if (path.startsWith('/api/v1/events')) {
      return {
        status: 403,
        body: JSON.stringify({
          kind: 'Status',
          status: 'Failure',
          code: 403,
          reason: 'Forbidden',
          message: `no: ${refusal}`,
        }),
      };
    }
    const items = path.startsWith('/api/v1/pods') ? [pod] : [];
    return {
      status: 200,
      body: JSON.stringify({ kind: 'List', apiVersion: 'v1', metadata: { resourceVersion: '10' }, items }),
    };
  };
}
