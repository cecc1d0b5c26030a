/** The page of scenarios in Chromium, with `truecast serve` on a folder of manifests that changes. */
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { appendSampleRun } from './sample-ledger.ts';
import { violationsOf } from './console-fixture.ts';
import { openPage } from './kept-pages.ts';
import { servedProject } from './served-project.ts';

const WALK_MS = 180_000;
const suite = servedProject();

it(
  'shows the shipped scenarios with their cast, those of the project, and each problem at its place',
  async () => {
    const { browser, project, whileServing } = suite;
    const databaseUrl = join(project, 'console.sqlite');
    const own = join(project, 'ensembles');
    const shipped = join(project, 'node_modules/@truecast/ensemble/ensembles');
    await whileServing(['--open', '--database-url', databaseUrl], {}, async (served) => {
      const page = await openPage(browser, served.url);
      const faults: string[] = [];
      page.on('pageerror', (error) => faults.push(error.message));
      page.on('console', (message) => {
        if (message.type() === 'error') faults.push(message.text());
      });
      await page.goto(await served.openedPage());
      await page.getByRole('link', { name: 'Stage', exact: true }).first().click();
      await page.getByRole('link', { name: 'Scenarios' }).click();
      const boat = page.getByRole('article', { name: 'The museum boat' });
      await boat.waitFor();
      expect(await boat.getByRole('list', { name: 'Cast' }).innerText()).toMatch(
        /hedda worker[^]*pilot judge/u,
      );
      expect(await boat.innerText()).toMatch(/truecast ensemble run museum-boat[^]*Not played yet/u);
      expect(
        await page.getByRole('link', { name: 'Stage', exact: true }).first().getAttribute('aria-current'),
      ).toBe('page');
      expect(await violationsOf(page)).toEqual([]);

      await appendSampleRun(databaseUrl, 'boat-1', 4);
      await page.reload();
      await boat.getByRole('link', { name: /^1 run, the last/u }).click();
      await page.waitForURL(/\/stage\/boat-1$/u);

      cpSync(shipped, own, { recursive: true });
      const hedda = join(own, 'agents/hedda.yaml');
      writeFileSync(hedda, readFileSync(hedda, 'utf8').replace(/^persona:/mu, 'personna:'));
      writeFileSync(join(own, 'agents/ivo.yaml'), 'name: ivo\npersona: [');
      await page.goto(`${served.url}/scenarios`);
      const problems = page.getByRole('region', { name: 'Problems in the manifests' });
      await problems.waitFor();
      expect(await problems.innerText()).toMatch(/ensembles\/agents\/hedda\.yaml:\d+:1\s[^]*personna/u);
      expect(await problems.locator('code').allInnerTexts()).toContain('personna');
      expect(await boat.innerText()).toMatch(/ivo no manifest/u);
      await page.getByText('From the folder ensembles').waitFor();
      for (const [width, colorScheme] of [
        [1440, 'light'],
        [390, 'dark'],
      ] as const) {
        await page.setViewportSize({ width, height: 844 });
        await page.emulateMedia({ colorScheme });
        expect(await violationsOf(page)).toEqual([]);
        expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
      }

      rmSync(own, { recursive: true });
      mkdirSync(join(own, 'scenarios'), { recursive: true });
      await page.reload();
      await problems.getByText('There is no scenario in this folder').waitFor();
      expect(await violationsOf(page)).toEqual([]);
      expect(faults).toEqual([]);
    });
  },
  WALK_MS,
);

it(
  'filters a long list, names the filter that excludes all, and keeps the page without a connection',
  async () => {
    const { browser, project, whileServing } = suite;
    const own = join(project, 'ensembles');
    rmSync(own, { recursive: true, force: true });
    cpSync(join(project, 'node_modules/@truecast/ensemble/ensembles'), own, { recursive: true });
    const text = readFileSync(join(own, 'scenarios/museum-boat.yaml'), 'utf8');
    for (let index = 0; index < 220; index += 1) {
      const named = text
        .replace('name: museum-boat', `name: boat-${index}`)
        .replace('museum boat', `boat ${index}`);
      writeFileSync(join(own, `scenarios/boat-${index}.yaml`), named);
    }
    const page = await whileServing(['--open'], {}, async (served) => {
      const page = await openPage(browser, served.url);
      await page.goto(await served.openedPage());
      await page.waitForSelector('#question');
      await page.goto(`${served.url}/scenarios`);
      await page.locator('li[aria-setsize="222"]').first().waitFor();
      expect(await page.getByRole('article').count()).toBeLessThan(60);
      await page.keyboard.press('/');
      await page.keyboard.type('boat 17');
      await page.waitForURL(/\?q=boat/u);
      await page.getByRole('article', { name: 'The boat 170' }).waitFor();
      await page.getByRole('searchbox').fill('no such text');
      await page.getByText('No scenario contains “no such text”.').waitFor();
      await page.getByRole('button', { name: 'Clear the filter' }).click();
      await page.getByRole('article').first().waitFor();
      return page;
    });
    await page.getByText('Connection lost.').waitFor();
    expect(await page.getByRole('article').first().isVisible()).toBe(true);
    await whileServing(['--port', new URL(page.url()).port], {}, async () => {
      await page.getByText('Connection lost.').waitFor({ state: 'detached' });
      await page.getByRole('article').first().waitFor();
    });
  },
  WALK_MS,
);
