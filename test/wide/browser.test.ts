import { existsSync, mkdirSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitFor } from '../programs/process.ts';
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

describe.skipIf(!existsSync(CHROMIUM))('the pages in Chromium, over the demo estate', () => {
  let server: RunningTrifocal;
  let browser: Browser;
  let page: Page;
  const trouble: string[] = [];

  beforeAll(async () => {
    mkdirSync('.cache/screenshots', { recursive: true });
    server = await startTrifocal({ args: ['--demo'] });
    await waitFor(
      'the replayed history',
      async () => (/history was replayed/.test(server.output()) ? true : undefined),
      120,
    );
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
    ['/investigations', 'investigations'],
  ])('%s shows live data', async (path, name) => {
    const text = await open(path, name);
    expect(text.length).toBeGreaterThan(200);
    expect(text).not.toMatch(/something went wrong|undefined|NaN/i);
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

  test('nothing failed on the way and nothing left the origin', () => {
    expect(trouble).toEqual([]);
  });
});
