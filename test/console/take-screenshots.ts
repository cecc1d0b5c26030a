/**
 * Screenshots of every page of the console (`npm run console:screenshots -- FOLDER [WIDTH …]`): light and dark,
 * at four widths. Each is checked for text over its box, short titles and by axe, and the script fails with a
 * fault. A person or an agent looks at them before a change of the console is merged.
 */
import { mkdirSync, mkdtempSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { startConsole, violationsOf, watchPage, type ConsoleServer } from './console-fixture.ts';
import { startBrowser } from './shared-browser.ts';
import { layoutFaultsOf } from './layout-faults.ts';
import { scenarioSource } from '../../packages/cli/src/serve/scenario-source.ts';
import { appendSampleRun } from './sample-ledger.ts';
import { shootRuns, startRuns } from './shoot-runs.ts';
import { shootReadme } from './shoot-readme.ts';
import { shootConnect } from './shoot-connect.ts';
import { shootStates } from './shoot-states.ts';
import { makeSampleRepository } from './sample-repository.ts';
import { keepSampleRuns, startSampleRun } from './sample-runs.ts';
import type { Page } from 'playwright-core';

const ROOT = join(import.meta.dirname, '../..');
const SIZES = [
  { width: 1440, height: 900 },
  { width: 1024, height: 900 },
  { width: 768, height: 1000 },
  { width: 390, height: 844 },
];
/** Transitions last up to 420 ms. */
const SETTLED_MS = 600;

const listed = await scenarioSource((text) => text).list();
const SCENARIOS = {
  scenarios: listed,
  'scenarios-broken': {
    ...listed,
    folder: 'ensembles',
    problems: [
      {
        file: 'ensembles/agents/hedda.yaml',
        line: 3,
        column: 1,
        message: '`personna` is not a key of an agent.',
        hint: 'Did you mean `persona`?',
      },
      { file: 'ensembles/scenarios/boat.yaml', line: 9, column: 7, message: 'No agent is named `ivan`.' },
    ],
  },
  'scenarios-empty': { scenarios: [], problems: [] },
};
const folder = resolve(process.argv[2] ?? 'screenshots');
mkdirSync(folder, { recursive: true });
const project = mkdtempSync(join(tmpdir(), 'truecast-shots-'));
symlinkSync(join(ROOT, 'node_modules'), join(project, 'node_modules'));
const runId = await keepSampleRuns(project, makeSampleRepository(project));
startSampleRun(project, true).say('I look at the licences of all packages.');
const live = startSampleRun(project);
live.say('I read src/parser.ts and its tests. The loop ends one item too late.\n'.repeat(12));
live.work();
const databaseUrl = join(project, 'console.sqlite');
await using server = await startConsole(project, { databaseUrl });
await appendSampleRun(databaseUrl, 'boat-1', 60);
const browser = await startBrowser();
await using runs = await startRuns(ROOT);
let found = 0;
const widths = process.argv.slice(3).map(Number);
for (const viewport of SIZES.filter(({ width }) => widths.length === 0 || widths.includes(width))) {
  for (const colorScheme of ['light', 'dark'] as const) {
    const { page, faults } = await watchPage(browser, server, { viewport, colorScheme });
    const all: string[] = [];
    const shoot = async (shown: Page, name: string): Promise<void> => {
      await shown.screenshot({ path: join(folder, `${name}-${viewport.width}-${colorScheme}.png`) });
      const seen = [...(await layoutFaultsOf(shown)), ...(await violationsOf(shown))];
      all.push(...seen.map((fault) => `${name}: ${fault}`));
    };
    await visit(page, server, (name) => shoot(page, name));
    await shootConnect(ROOT, browser, { viewport, colorScheme }, shoot);
    await shootStates(ROOT, browser, { viewport, colorScheme }, shoot);
    await shootRuns(browser, runs, { viewport, colorScheme }, shoot);
    // The last page is one that does not exist.
    all.push(...faults.filter((fault) => !fault.endsWith('404 (Not Found)')));
    found += all.length;
    process.stdout.write([`${viewport.width} ${colorScheme}: ${all.length} faults`, ...all, ''].join('\n'));
  }
}
await shootReadme(browser, server, folder);
await browser.close();
if (found > 0) process.exitCode = 1;

async function visit(
  page: Page,
  server: ConsoleServer,
  shoot: (name: string) => Promise<unknown>,
): Promise<void> {
  const { url } = server;
  await page.goto(url);
  await page.waitForSelector('#token');
  await shoot('token');
  await page.goto(await server.newLink());
  await page.getByText('No model is connected').waitFor();
  await page.getByRole('link', { name: 'Runs', exact: true }).first().waitFor();
  await shoot('start');
  await page.getByRole('button', { name: 'Edit schema' }).click();
  await page.waitForSelector('section[aria-label="Provider compatibility"]');
  await page.locator('#schema').scrollIntoViewIfNeeded();
  await shoot('schema');
  await page.getByRole('button', { name: 'Done' }).click();
  await page.click('button[type=submit]');
  await page.waitForSelector('[data-state=draft]');
  await shoot('draft');
  await page.locator('[data-state=refused]').or(page.getByText('Answer refused')).first().waitFor();
  await shoot('refused');
  await page.waitForSelector('[data-state=valid]');
  await page.waitForTimeout(SETTLED_MS);
  await shoot('valid');
  const menu = page.getByRole('button', { name: 'Menu' });
  if (await menu.isVisible()) {
    await menu.click();
    await page.waitForTimeout(SETTLED_MS);
    await shoot('drawer');
    await page.keyboard.press('Escape');
  }
  await page.getByRole('button', { name: 'More' }).click();
  await page.waitForTimeout(SETTLED_MS);
  await shoot('menu');
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: 'Receipt', exact: true }).click();
  await page.click('text=Verify');
  await page.waitForTimeout(SETTLED_MS);
  await shoot('receipt');
  await page.locator('a[href^="/schemas/"]').click();
  await page.waitForSelector('text=First try over time');
  await shoot('schema-history');
  await page.goto(`${url}/ask`);
  await page.waitForSelector('section[aria-label="Provider compatibility"]');
  await shoot('ask');
  await page.getByRole('button', { name: 'Form', exact: true }).click();
  await page.getByRole('button', { name: 'Add a field' }).scrollIntoViewIfNeeded();
  await shoot('ask-form');
  await page.goto(`${url}/requests`);
  await page.waitForSelector('ol[aria-label=Receipts]');
  await shoot('receipts');
  await page.getByRole('list', { name: 'Receipts' }).getByRole('checkbox').first().check();
  await shoot('receipts-chosen');
  await page.getByRole('link', { name: /^Compare with/u }).click();
  await page.getByRole('dialog', { name: 'Ask with further models' }).waitFor();
  await shoot('compare-add');
  await page.getByRole('checkbox', { name: 'scripted:demo' }).check();
  await page.getByRole('button', { name: 'Ask 1 model' }).click();
  await page.getByText('2 answers').waitFor();
  await page.getByText('answering').waitFor({ state: 'detached' });
  await page.waitForTimeout(SETTLED_MS);
  await shoot('compare');
  await page.goto(`${url}/quality`);
  await page.waitForSelector('text=First try over time');
  await shoot('quality');
  await page.goto(`${url}/runs`);
  await page.waitForSelector('ol[aria-label=Runs]');
  await shoot('runs');
  await page.goto(`${url}/runs/${runId}?field=%2Ffiles%2F1`);
  await page.waitForSelector('[data-selected]');
  await page.waitForTimeout(SETTLED_MS);
  await shoot('run');
  await page.goto(`${url}/runs/${runId}`);
  await page.getByRole('region', { name: 'Changes of src/parser.ts' }).waitFor();
  await shoot('run-changes');
  const split = page.getByRole('button', { name: 'Split' });
  if (await split.isVisible()) {
    await split.click();
    await shoot('run-split');
  }
  for (const tab of ['answer', 'attempts', 'environment']) {
    await page.goto(`${url}/runs/${runId}?tab=${tab}`);
    await page.waitForSelector('[role=tabpanel] :is(pre, ol, dl)');
    await shoot(`run-${tab}`);
  }
  await page.goto(`${url}/runs/${live.id}`);
  await page.getByText('runs Bash').waitFor();
  await shoot('run-live');
  await page.goto(`${url}/runs/${live.id}?tab=log`);
  await page.waitForSelector('ol[aria-label=Events]');
  await shoot('run-log');
  await page.goto(`${url}/stage/boat-1?at=13`);
  await page.waitForSelector('[aria-current=step]');
  await shoot('stage');
  await page.goto(`${url}/stage`);
  await page.waitForSelector('ol[aria-label="Ensemble runs"]');
  await shoot('ensembles');
  for (const name of ['scenarios', 'scenarios-broken', 'scenarios-empty'] as const) {
    await page.route('**/api/scenarios', (route) => route.fulfill({ json: SCENARIOS[name] }));
    await page.goto(`${url}/scenarios`);
    await page.getByRole('article').or(page.getByText('There are no scenarios yet.')).first().waitFor();
    await page.waitForTimeout(SETTLED_MS);
    await shoot(name);
    await page.unroute('**/api/scenarios');
  }
  await page.goto(`${url}/chats`);
  await page.waitForSelector('ol a');
  await shoot('chats');
  await page.goto(`${url}/settings`);
  await page.waitForSelector('h1');
  await page.waitForTimeout(SETTLED_MS);
  await shoot('settings');
  await page.keyboard.press('Control+k');
  await page.waitForSelector('dialog');
  await shoot('palette');
  await page.keyboard.press('Escape');
  await page.locator('dialog').waitFor({ state: 'detached' });
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keys' }).waitFor();
  await shoot('keys');
  await page.goto(`${url}/docs`);
  await page.waitForSelector('#createChat');
  await shoot('docs');
  await page.goto(`${url}/docs#createToken`);
  await page.reload();
  await page.click('#createToken >> text=Try it');
  await page.click('text=Send createToken');
  await page.waitForSelector('#createToken [aria-label=Response]');
  await shoot('try');
  await page.goto(`${url}/chats/missing`);
  await page.waitForSelector('[role=alert]');
  await shoot('missing');
}
