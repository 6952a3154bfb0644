import { existsSync, mkdirSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitFor } from '../programs/process.ts';
import { remoteWrite } from '../programs/remote-write.ts';
import { type RunningTrifocal, startTrifocal } from '../programs/trifocal.ts';

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

/** More than any metric of the demo has. */
const MOST_SERIES = 4000;

/** One request of a sender of that cluster, with so many values of one label; gives the answer's status. */
async function send(
  server: RunningTrifocal,
  cluster: string,
  metric: string,
  label: string,
  values: number,
): Promise<number> {
  const timeMs = Date.now();
  const series = Array.from({ length: values }, (_, i) => ({
    labels: { __name__: metric, cluster, job: 'shop', [label]: `${label}-${i}` },
    samples: [{ value: i, timeMs }],
  }));
  return (await remoteWrite(`${server.http}/prometheus/api/v1/write`, series)).status;
}

describe.skipIf(!existsSync(CHROMIUM))('the pages in Chromium, over the demo estate', () => {
  let server: RunningTrifocal;
  let browser: Browser;
  let page: Page;
  const trouble: string[] = [];

  beforeAll(async () => {
    mkdirSync('.cache/screenshots', { recursive: true });
    server = await startTrifocal({ args: ['--demo'], env: { TRIFOCAL_LIMITS_PERMETRIC: String(MOST_SERIES) } });
    await waitFor(
      'the replayed history',
      async () => (/history was replayed/.test(server.output()) ? true : undefined),
      120,
    );
    // A sender that delivers a while and then never again; the last test looks for it.
    for (let i = 0; i < 8; i++) expect(await send(server, 'prod-mill', 'mill_open_orders', 'mill', 5)).toBe(204);
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ARGS });
    page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    page.setDefaultTimeout(120_000);
    page.on('console', (message) => message.type() === 'error' && trouble.push(`${page.url()}: ${message.text()}`));
    page.on('pageerror', (error) => trouble.push(`${page.url()}: ${error.message}`));
    page.on(
      'request',
      (request) =>
        !request.url().startsWith(server.http) &&
        !request.url().startsWith('data:') &&
        trouble.push(`left the origin: ${request.url()}`),
    );
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  async function open(path: string, name: string): Promise<string> {
    await page.goto(server.http + path);
    await page.waitForLoadState('networkidle');
    await page.screenshot({ path: `.cache/screenshots/${name}.png` });
    return page.locator('main').innerText();
  }

  test('the overview says in its first line who is hurt', async () => {
    const text = await open('/', 'overview');
    expect(text).toMatch(/1 of 4 model services/);
    expect(text).toContain('llama-3-70b');
  });

  test('Why? leads from the overview to the cause', async () => {
    await open('/', 'overview-before-why');
    await page.getByRole('button', { name: /why/i }).first().click();
    await page.waitForURL(/\/investigations\//);
    const answer = page
      .locator('main')
      .getByText(/GPU-\S+.*throttles for heat/)
      .first();
    await answer.waitFor();
    await page.locator('main canvas').nth(2).waitFor();
    await page.screenshot({ path: '.cache/screenshots/investigation.png' });
  });

  test.each([
    ['/models', 'models'],
    ['/models/prod-eu/inference/llama-3-70b', 'model'],
    ['/gpus', 'gpus'],
    ['/e/node:prod-eu%2F-%2Fgpu-1', 'node'],
    ['/telemetry', 'telemetry'],
    ['/telemetry/cardinality', 'cardinality'],
    ['/telemetry/redaction', 'redaction'],
    ['/investigations', 'investigations'],
  ])('%s shows live data', async (path, name) => {
    const text = await open(path, name);
    expect(text.length).toBeGreaterThan(200);
    expect(text).not.toMatch(/[Ss]omething went wrong|\bundefined\b|\bNaN\b/);
    const width = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect(width, 'no sideways scrolling').toBeLessThanOrEqual(0);
  });

  test('time range and cluster are in the address, and one choice is one step back', async () => {
    await open('/?from=now-15m&cluster=prod-eu', 'overview-eu');
    const address = new URL(page.url());
    expect(address.searchParams.get('cluster')).toBe('prod-eu');
    await page.keyboard.press('Control+k');
    await page.getByLabel('Find').fill('qwen');
    await page.locator('[data-selected]').filter({ hasText: 'qwen-14b' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Models' }).first().click();
    await page.waitForURL(/\/models/);
    expect(new URL(page.url()).searchParams.get('cluster')).toBe('prod-eu');
    await page.goBack();
    await page.waitForURL((url) => url.pathname === '/');
  });

  test('a bad address and a missing entity are answered in words', async () => {
    expect(await open('/e/pod:prod-eu%2Finference%2Fno-such-pod', 'missing')).toMatch(/not|no /i);
    expect(await open('/no/such/page', 'nowhere')).toMatch(/not|no /i);
    trouble.splice(0, trouble.length, ...trouble.filter((line) => !/404/.test(line)));
  });

  test('the test box of redaction shows what would be written', async () => {
    await open('/telemetry/redaction', 'redaction-before');
    await page.getByLabel(/^A text/).fill('login of ada@example.org with Authorization: Bearer abcdef0123456789abcdef');
    await page.keyboard.press('Control+Enter');
    await page.locator('mark').nth(1).waitFor();
    await page.screenshot({ path: '.cache/screenshots/redaction-tested.png' });
    const written = await page.locator('output').innerText();
    expect(written).toContain('[redacted:email]');
    expect(written).not.toMatch(/ada@|abcdef01/);
  });

  test('a planted label that explodes is found by clicking, and so is what it cost', async () => {
    expect(await send(server, 'prod-shop', 'checkout_requests_total', 'session_id', MOST_SERIES + 500)).toBe(400);
    await open('/', 'overview-before-label');
    const banner = page.getByRole('status', { name: 'Trust in the data' });
    await page.keyboard.press('r');
    await banner.getByRole('button', { name: /more|What to do/ }).click();
    await banner
      .getByText(/session_id/)
      .first()
      .waitFor();
    await banner.getByRole('link', { name: 'See Telemetry' }).click();
    await page.waitForURL(/\/telemetry/);
    await page.getByRole('link', { name: 'See its cardinality' }).click();
    await page.locator('h1').filter({ hasText: 'The label session_id of checkout_requests_total explodes' }).waitFor();
    await page.locator('[data-row-link]').filter({ hasText: 'checkout_requests_total' }).click();
    const detail = page.getByRole('complementary', { name: 'Selected metric' });
    await detail.getByText(/had 500 samples refused/).waitFor();
    await page.screenshot({ path: '.cache/screenshots/cardinality-found.png' });
    expect(await detail.innerText()).toMatch(/4000 of 4000/);
    await detail.getByRole('link', { name: /values of session_id/ }).click();
    await page.waitForURL(/explore\/metrics/);
    await page.locator('h1').filter({ hasText: '1 series matches.' }).waitFor();
  });

  test('a stalled sender stands first, with since when and what to check', async () => {
    await waitFor(
      'the silence of the sender to be noticed',
      async () => {
        const status: unknown = await (await fetch(`${server.http}/api/status`)).json();
        return JSON.stringify(status).includes('source-silent remote-write prod-mill') ? true : undefined;
      },
      240,
    );
    await open('/', 'overview-before-silence');
    const banner = page.getByRole('status', { name: 'Trust in the data' });
    await banner.getByRole('button', { name: /more|What to do/ }).click();
    await banner.getByRole('link', { name: 'Show this source' }).first().click();
    await page.waitForURL(/\/telemetry\?sel=remote-write/);
    const detail = page.getByRole('complementary', { name: 'Selected source' });
    await detail.getByText(/since \d\d:\d\d:\d\d/).waitFor();
    await page.screenshot({ path: '.cache/screenshots/telemetry-stalled.png' });
    expect(await page.locator('h1').innerText()).toMatch(/of prod-mill has been silent for \d+/);
    expect(await page.locator('tbody tr').first().innerText()).toMatch(/silent[\s\S]*prod-mill/);
    expect(await detail.innerText()).toMatch(/sender|running|reach/i);
  }, 600_000);

  test('nothing failed on the way and nothing left the origin', () => {
    expect(trouble).toEqual([]);
  });
});
