/**
 * Long check of the site (`npm run docs`): builds it, then checks links and anchors, sizes, the first results
 * of the search, and accessibility on six pages in Chromium. Nothing is loaded from another host. With
 * `--built`, it checks the site that is already built.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { colourViolationsOf, violationsOf } from '../../test/console/console-fixture.ts';
import { startBrowser } from '../../test/console/shared-browser.ts';
import { BASE } from '../prepare/prepare.ts';
import type { SearchRecord } from '../prepare/site-files.ts';
import { checkBuiltLinks } from './built-links.ts';
import { checkSizes } from './page-sizes.ts';
import { queriesOf, wrongResults } from './search.ts';
import { serveSite } from './serve-site.ts';

const SITE = join(import.meta.dirname, '..');
const DIST = join(SITE, 'dist');
const PAGES = ['/', '/first-answer/', '/merging/', '/react/', '/errors/invalid-json/', '/chat-states/'];
const SIZES = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
];

const problems: string[] = [];

const isBuilt = process.argv.includes('--built');
await step('build', () => {
  if (isBuilt) return 'not built again';
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: SITE, stdio: ['ignore', 'pipe', 'inherit'] });
  return 'built';
});
await step('links', () => {
  const report = checkBuiltLinks(DIST, BASE);
  problems.push(...report.problems);
  return `${report.links} links of ${report.pages} pages`;
});
await step('sizes', () => {
  const report = checkSizes(DIST);
  problems.push(...report.problems);
  return `largest page ${report.largest} bytes`;
});
await using server = await serveSite(DIST, BASE);
const browser = await startBrowser();
try {
  await step('search', async () => {
    const records = JSON.parse(
      readFileSync(join(SITE, 'src/data/search-records.json'), 'utf8'),
    ) as readonly SearchRecord[];
    const queries = queriesOf(records);
    problems.push(...(await wrongResults(await browser.newPage(), server.url, queries)));
    return `${queries.length} queries`;
  });
  await step('accessibility', async () => {
    // At once: each has its own process, and most of their time is the processor's.
    const found = await Promise.all(SIZES.map((viewport) => faultsOf(browser, viewport)));
    problems.push(...found.flat());
    return `${SIZES.length * PAGES.length} pages in both themes`;
  });
} finally {
  await browser.close();
}
for (const problem of problems) process.stderr.write(`${problem}\n`);
process.exitCode = problems.length === 0 ? 0 : 1;

/**
 * Accessibility violations, requests to other hosts, and overflow of the pages in one size. Loading takes
 * longest, so the second theme is checked on the same page, by the rules about colours.
 */
async function faultsOf(
  browser: Browser,
  viewport: { readonly width: number; readonly height: number },
): Promise<readonly string[]> {
  const context = await browser.newContext({ viewport, colorScheme: 'light', reducedMotion: 'reduce' });
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(`error: ${error.message}`));
  page.on('request', (request) => {
    const isOwn = request.url().startsWith(server.url);
    if (!isOwn) faults.push(`request: ${request.url()}`);
  });
  for (const path of PAGES) {
    await page.goto(server.url + path);
    faults.push(...(await violationsOf(page)).map((violation) => `${path}: ${violation}`));
    const width = await page.evaluate<number>('document.documentElement.scrollWidth');
    if (width > viewport.width) faults.push(`${path}: ${width} px wide`);
    await page.getByRole('button', { name: 'Change the theme' }).click();
    faults.push(...(await colourViolationsOf(page)).map((violation) => `${path} dark: ${violation}`));
    // Kept for the next page, which begins with the first theme again.
    await page.getByRole('button', { name: 'Change the theme' }).click();
  }
  await context.close();
  return faults.map((fault) => `${viewport.width}: ${fault}`);
}

async function step(name: string, work: () => string | Promise<string>): Promise<void> {
  const start = performance.now();
  const [before, summary] = [problems.length, await work()];
  const seconds = ((performance.now() - start) / 1_000).toFixed(1);
  process.stdout.write(`${name}: ${summary}, ${problems.length - before} problems, ${seconds} s\n`);
}
