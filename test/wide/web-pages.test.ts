import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startMockServer } from '../../src/web/testdata/mock-server.ts';

const run = promisify(execFile);
const CHROMIUM = '/usr/bin/chromium';
const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
const MODEL = '/models/prod-eu/inference/llama-3-70b';

/** How pages behave under hand and keyboard, over a server whose answers are known. */
describe.skipIf(!existsSync(CHROMIUM))('the pages under hand and keyboard, in Chromium', () => {
  let server: Awaited<ReturnType<typeof startMockServer>>;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let trouble: string[];

  beforeAll(async () => {
    // In a process of its own: the configuration sets NODE_ENV for the whole process it runs in.
    await run(process.execPath, [
      'node_modules/vite/bin/vite.js',
      'build',
      '--config',
      'src/web/vite.config.ts',
      '--logLevel',
      'error',
    ]);
    server = await startMockServer(0, 5000);
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ARGS });
  });
  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });
  beforeEach(async () => {
    trouble = [];
    context = await browser.newContext({
      viewport: { width: 1440, height: 900 },
      timezoneId: 'Europe/Berlin',
      locale: 'en-GB',
    });
    page = await context.newPage();
    page.on('console', (message) => message.type() === 'error' && trouble.push(message.text()));
    page.on('pageerror', (error) => trouble.push(error.message));
    page.on(
      'request',
      (request) => !request.url().startsWith(server.url) && trouble.push(`left the origin: ${request.url()}`),
    );
  });
  afterEach(async () => {
    await context.close();
    expect(trouble).toEqual([]);
  });

  const open = async (path: string) => {
    await page.goto(server.url + path);
    await page.locator('h1').waitFor();
  };
  const search = () => new URL(page.url()).searchParams;
  const heading = () => page.locator('h1').innerText();

  test('dragging over a chart sets the time range, and one step back restores it', async () => {
    await open(MODEL);
    const plot = page.locator('.u-over').first();
    const box = await plot.boundingBox();
    if (!box) throw new Error('the chart has no box');
    await page.mouse.move(box.x + box.width * 0.5, box.y + 40);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.75, box.y + 40, { steps: 8 });
    await page.mouse.up();
    await page.waitForURL(/from=/);
    const length = Date.parse(search().get('to') ?? '') - Date.parse(search().get('from') ?? '');
    expect(Math.abs(length - 900_000)).toBeLessThan(60_000);
    await page.goBack();
    await page.waitForFunction(() => !location.search.includes('from='));
  });

  test('the cursor is one for all charts, a click pins its text, Escape frees it', async () => {
    await open(MODEL);
    const plots = page.locator('.u-over');
    await plots.nth(1).waitFor();
    await plots.first().hover({ position: { x: 200, y: 50 } });
    await expect
      .poll(() =>
        page
          .locator('.u-cursor-x')
          .evaluateAll((lines) => lines.filter((line) => !line.classList.contains('u-off')).length),
      )
      .toBeGreaterThan(1);
    await plots.first().click({ position: { x: 200, y: 50 } });
    const pinned = page.locator('[class*="pinned"]');
    await pinned.waitFor();
    await page.mouse.move(5, 500);
    expect(await pinned.innerText()).toMatch(/p95/);
    await page.keyboard.press('Escape');
    await pinned.waitFor({ state: 'detached' });
  });

  test('the zone is one for the page, and named', async () => {
    await open('/');
    const local = await heading();
    await page.getByRole('button', { name: /^Times in CES?T/ }).click();
    await page.waitForURL(/tz=utc/);
    await expect.poll(heading).not.toBe(local);
    expect(await page.getByRole('button', { name: /^Times in UTC/ }).count()).toBe(1);
    await page.getByRole('link', { name: 'Telemetry', exact: true }).click();
    await page.waitForURL(/telemetry/);
    expect(search().get('tz')).toBe('utc');
  });

  test('five thousand rows: few elements, arrow keys walk, the filter is in the address without making history', async () => {
    await open('/workloads');
    await page.getByText('batch-job', { exact: false }).first().waitFor();
    expect(await page.evaluate(() => document.querySelectorAll('*').length)).toBeLessThan(3000);
    await page.locator('[data-row-link]').first().focus();
    for (let i = 0; i < 40; i++) await page.keyboard.press('ArrowDown');
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.closest('[data-index]')?.getAttribute('data-index')))
      .toBe('40');
    const before = await page.evaluate(() => history.length);
    await page.keyboard.press('/');
    await page.keyboard.type('tenant-04900');
    await page.waitForURL(/q=tenant-04900/);
    await expect.poll(() => page.locator('tbody tr').count()).toBe(1);
    expect(await page.evaluate(() => history.length)).toBe(before);
    await page.keyboard.press('Escape');
    await page.waitForFunction(() => !location.search.includes('q='));
  });

  test('a row opens beside the list and stays selected over a refresh', async () => {
    await open('/gpus');
    await page
      .locator('tbody tr')
      .first()
      .click({ position: { x: 400, y: 10 } });
    await page.waitForURL(/sel=gpu/);
    const peek = page.getByRole('complementary', { name: 'Selected GPU' });
    await peek.waitFor();
    await page.keyboard.press('r');
    await page.waitForLoadState('networkidle');
    expect(await peek.innerText()).toContain('held down for heat');
    expect(await page.locator('tr[aria-selected="true"]').count()).toBe(1);
  });

  test('a refresh asks for the newest', async () => {
    const asked: string[] = [];
    page.on(
      'request',
      (request) =>
        request.url().includes('/api/signals/') && asked.push(new URL(request.url()).searchParams.get('to') ?? ''),
    );
    await page.clock.install({ time: Date.now() });
    await open('/');
    await page.waitForLoadState('networkidle');
    const first = Math.max(...asked.map(Date.parse));
    asked.length = 0;
    await page.clock.fastForward(60_000);
    await page.keyboard.press('r');
    await expect.poll(() => asked.length).toBeGreaterThan(0);
    expect(Math.max(...asked.map(Date.parse))).toBeGreaterThanOrEqual(first + 45_000);
  });

  test('Why? opens an investigation with chain, evidence and ten answers', async () => {
    await open('/');
    await page.getByRole('button', { name: /^Why/ }).first().click();
    await page.waitForURL(/investigations\/inv_/);
    await page.locator('h1').filter({ hasText: 'throttled for heat' }).waitFor();
    expect(await page.locator('details summary').filter({ hasText: '?' }).count()).toBe(10);
    await page.getByText('SM clock').first().waitFor();
  });

  test('Ctrl-K finds an entity, and Enter opens it', async () => {
    await open('/');
    await page.keyboard.press('Control+k');
    await page.getByLabel('Find').fill('qwen');
    await page.locator('[data-selected]').filter({ hasText: 'qwen-14b' }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(/models\/prod-.*\/qwen-14b/);
  });

  test('g and a letter go to a page, ? shows the keys', async () => {
    await open('/');
    await page.keyboard.press('g');
    await page.keyboard.press('y');
    await page.waitForURL(/telemetry/);
    await page.keyboard.press('?');
    await page.getByRole('dialog').getByText('find an entity').waitFor();
  });

  test('an error of a query says why, in place', async () => {
    await open('/explore/metrics?q=sum(');
    await page.getByText('unexpected end of input').waitFor();
    trouble = trouble.filter((line) => !/400 \(Bad Request\)/.test(line));
  });

  test('a server that is away is said, and what was there stays', async () => {
    await open('/');
    const before = await heading();
    await page.waitForLoadState('networkidle');
    await page.route('**/api/**', (route) => route.abort());
    await page.keyboard.press('r');
    await page.getByRole('alert').waitFor();
    expect(await heading()).toBe(before);
    trouble = trouble.filter((line) => !/ERR_FAILED/.test(line));
  });

  /** Answers of the mock, with some of their parts replaced. */
  const answerWith = (path: string, parts: (url: URL) => Record<string, unknown>) =>
    page.route(`**${path}**`, async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), ...parts(new URL(route.request().url())) } });
    });
  const banner = () => page.getByRole('status', { name: 'Trust in the data' });

  test('a stalled sender: from the banner on the overview to since when and what to check', async () => {
    await open('/');
    await banner().getByText('has been silent for 6 m').waitFor();
    await banner()
      .getByRole('button', { name: /1 more/ })
      .click();
    await banner().getByRole('link', { name: 'Show this source' }).click();
    await page.waitForURL(/\/telemetry\?sel=remote-write/);
    await expect.poll(heading).toMatch(/Remote write 10\.8\.0\.12 .* of prod-us has been silent for 6/);
    const detail = page.getByRole('complementary', { name: 'Selected source' });
    expect(await detail.innerText()).toMatch(/silent for 6\s?m, since \d\d:\d\d:\d\d\. It usually sends every 15/);
    expect(await detail.innerText()).toContain('Check that the sender runs and reaches this server');
    expect(await page.locator('tbody tr').first().getAttribute('aria-selected')).toBe('true');
    expect(await page.locator('tbody tr').first().innerText()).toMatch(/silent 6/);
  });

  test('an exploding label: from the drop to its metric, its values, and the query that counts them', async () => {
    await open('/telemetry');
    await page.getByRole('link', { name: 'See its cardinality' }).click();
    await page.waitForURL(/\/telemetry\/cardinality\?q=user_id/);
    await page
      .locator('h1')
      .filter({ hasText: 'The label user_id of gateway_requests_total explodes: ≈\u20094900 values' })
      .waitFor();
    await page
      .getByRole('button', { name: /^gateway_requests_total/ })
      .first()
      .click();
    const detail = page.getByRole('complementary', { name: 'Selected metric' });
    expect(await detail.innerText()).toMatch(/5000 of 5000/);
    await detail.getByRole('link', { name: /4900 values of user_id/ }).click();
    await page.waitForURL(/explore\/metrics/);
    expect(search().get('q')).toBe('count(count by (user_id) (gateway_requests_total))');
  });

  test('the banner keeps to the cluster, warnings stay away once put away, what is critical does not go', async () => {
    await open('/models?cluster=prod-eu');
    await banner().getByText('samples per second are dropped').waitFor();
    expect(await banner().getByRole('button', { name: /more/ }).count()).toBe(0);
    await banner()
      .getByRole('button', { name: /Put these warnings away/ })
      .click();
    await expect.poll(() => banner().innerText()).toBe('');
    await page.getByRole('link', { name: 'Workloads', exact: true }).click();
    await page.waitForURL(/workloads/);
    expect(await banner().innerText()).toBe('');
    await page.getByRole('button', { name: /^Cluster/ }).click();
    await page.getByRole('menuitem', { name: 'All clusters' }).click();
    await banner().getByText('has been silent for 6 m').waitFor();
    const down = {
      id: 'store-down',
      severity: 'critical',
      since: new Date().toISOString(),
      words: 'The store is down: nothing can be read.',
      fix: 'See its log.',
    };
    await answerWith('/api/status', () => ({ trouble: [down] }));
    await page.keyboard.press('r');
    await banner().getByText('The store is down').waitFor();
    expect(await banner().getByRole('button', { name: /away/ }).count()).toBe(0);
  });

  test('a page of a thing of a late cluster says how old its data may be', async () => {
    await open('/e/pod:prod-us/inference/llama-3-70b-0');
    await page
      .locator('main')
      .getByText(/of prod-us sends may end at \d\d:\d\d/)
      .waitFor();
    await open('/e/pod:prod-eu/inference/llama-3-70b-0');
    await page.waitForLoadState('networkidle');
    expect(await page.locator('main').getByText('may end at').count()).toBe(0);
  });

  test('arrow keys walk the sources, and what is chosen follows', async () => {
    await open('/telemetry');
    await page.locator('[data-row-link]').first().focus();
    await page.keyboard.press('ArrowDown');
    await page.waitForURL(/sel=kubernetes/);
    expect(await page.getByRole('complementary', { name: 'Selected source' }).innerText()).toMatch(/^Kubernetes pods/);
    await page.getByRole('button', { name: 'Close' }).click();
    await page.waitForFunction(() => !location.search.includes('sel='));
  });

  test('the test of redaction shows what would be written, and a refusal in place', async () => {
    await open('/telemetry/redaction');
    const text = page.getByLabel('A text, as a log line or an attribute would have it');
    await text.fill('[redacted:email] ada@example.org, Bearer abc.def');
    await page.keyboard.press('Control+Enter');
    await page.locator('mark').nth(1).waitFor();
    expect(await page.locator('output').innerText()).toBe(
      '[redacted:email] [redacted:email], Bearer [redacted:bearer]',
    );
    expect(await page.locator('mark').allInnerTexts()).toEqual(['[redacted:email]', '[redacted:bearer]']);
    await page.getByText('2 places hidden by email and bearer.').waitFor();
    await text.fill('nothing here');
    await page.getByRole('button', { name: 'Test', exact: true }).click();
    await page.getByText('No rule finds anything in it').waitFor();
    const refusal = { error: { code: 'busy', message: 'Too many tests at once.', hint: 'Wait a second.' } };
    await page.route('**/api/redaction/test', (route) => route.fulfill({ status: 429, json: refusal }));
    await page.getByRole('button', { name: 'Test', exact: true }).click();
    await page.getByText('Too many tests at once.').waitFor();
    trouble = trouble.filter((line) => !/429/.test(line));
  });

  test('the palette leads to the cardinality of series', async () => {
    await open('/');
    await page.keyboard.press('Control+k');
    await page.getByLabel('Find').fill('cardinal');
    await page.locator('[data-selected]').filter({ hasText: 'Telemetry: Cardinality' }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(/telemetry\/cardinality/);
  });

  test('log lines: no escape sequences, a traceback in one row until it is unfolded, a cut said', async () => {
    await open('/explore/logs');
    await page.getByText('INFO:     10.4.2.31:50712 - "POST /v1/chat/completions HTTP/1.1" 200 OK').waitFor();
    const trace = page.locator('[class*="entry"]').filter({ hasText: 'RuntimeError: CUDA error' });
    expect(await trace.innerText()).toContain('5 more lines');
    expect(await trace.getByText('gpu_worker.py').count()).toBe(0);
    await trace.getByRole('button').first().click();
    await trace.getByText('File "/app/vllm/worker/gpu_worker.py", line 291').waitFor();
    await page.getByText('1.76\u2009MiB cut off before it was stored').waitFor();
  });

  test.each([
    [
      '/telemetry',
      '/api/telemetry',
      { sources: [], dropped: [], tables: [] },
      /Nothing has arrived yet[\s\S]*Nothing was dropped/,
    ],
    [
      '/telemetry/cardinality',
      '/api/cardinality',
      { active: 0, metrics: [], labels: [], refusals: [], clusters: [] },
      /No series has come in yet[\s\S]*No label to show/,
    ],
    [
      '/telemetry/redaction',
      '/api/redaction',
      { rules: [], prompts: 'keep' },
      /kept as they are[\s\S]*There is no rule/,
    ],
  ])('%s says so when there is nothing, and why when there is no answer', async (path, api, nothing, words) => {
    await answerWith(api, () => nothing);
    await open(path);
    await expect.poll(() => page.locator('main').innerText()).toMatch(words);
    const refusal = {
      error: { code: 'store-down', message: 'The store does not answer.', hint: 'It is started again.' },
    };
    await page.route(`**${api}**`, (route) => route.fulfill({ status: 400, json: refusal }));
    await page.reload();
    await page.getByText('could not be loaded').waitFor();
    expect(await page.locator('main').innerText()).toContain('It is started again.');
    trouble = trouble.filter((line) => !/400/.test(line));
  });

  test.each([
    ['light', 1440],
    ['dark', 1440],
    ['light', 390],
    ['dark', 390],
  ] as const)('%s at %i px: no page scrolls sideways, and text has contrast', async (scheme, width) => {
    await page.emulateMedia({ colorScheme: scheme });
    await page.setViewportSize({ width, height: 844 });
    for (const path of [
      '/',
      MODEL,
      '/gpus',
      '/workloads',
      '/telemetry',
      '/telemetry?sel=remote-write%20prod-us%2010.8.0.12%20(prometheus/3.5.0)',
      '/telemetry/cardinality?sel=prod-eu%20gateway_requests_total',
      '/telemetry/redaction',
      '/investigations/inv_demo',
      '/e/pod:prod-eu/inference/llama-3-70b-0',
      '/explore/logs',
      '/explore/traces',
      '/explore/metrics?q=up',
    ]) {
      await open(path);
      await page.waitForLoadState('networkidle').catch((cause) => {
        throw new Error(`${path} never comes to rest`, { cause });
      });
      const [sideways, weak] = await page.evaluate(() => {
        const scroller = document.querySelector('[data-scroller]') ?? document.documentElement;
        const luminance = (color: string) => {
          const [r = 0, g = 0, b = 0] = (color.match(/[\d.]+/g) ?? []).map((n) => {
            const c = Number(n) / 255;
            return c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
          });
          return 0.2126 * r + 0.7152 * g + 0.0722 * b;
        };
        const ground = (element: Element | null): string => {
          for (let at = element; at; at = at.parentElement) {
            const color = getComputedStyle(at).backgroundColor;
            if (/^rgb\(/.test(color)) return color;
          }
          return 'rgb(255, 255, 255)';
        };
        const found: string[] = [];
        for (const element of document.querySelectorAll('#page *, [role="status"] *')) {
          const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent?.trim());
          const style = getComputedStyle(element);
          if (!own || style.visibility === 'hidden' || Number(style.opacity) < 1 || !/^rgb\(/.test(style.color))
            continue;
          const [a, b] = [luminance(style.color), luminance(ground(element))];
          const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
          if (ratio < 4.5) found.push(`${ratio.toFixed(1)} ${element.textContent?.slice(0, 40)}`);
        }
        return [scroller.scrollWidth - scroller.clientWidth, found];
      });
      expect(sideways, path).toBeLessThanOrEqual(0);
      expect(weak, path).toEqual([]);
    }
  });
});
