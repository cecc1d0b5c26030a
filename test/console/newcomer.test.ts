/**
 * Path of a newcomer: `truecast serve --open` in an empty folder, a sealed value, the program that gets
 * it, the same with another model, and the field that fails. Nothing is typed that the page does not show.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { scriptedModelServer } from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { violationsOf } from './console-fixture.ts';
import { openPage } from './kept-pages.ts';
import { servedProject, type Served } from './served-project.ts';

/** Two servers, a program and a browser: 11 s, and 48 s beside 20 other processes. */
const WALK_MS = 180_000;

const suite = servedProject();

async function copied(page: Page): Promise<string> {
  return String(await page.evaluate('navigator.clipboard.readText()'));
}

it(
  'goes from the opened page to a sealed value, its program, another model, and the field that fails',
  async () => {
    const { browser, project, whileServing } = suite;
    const first = async ({ url, openedPage }: Served): Promise<Page> => {
      const page = await openPage(browser, url);
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
      await page.goto(await openedPage());
      await page.waitForURL(`${url}/`);
      await page.getByText('No model is connected.').waitFor();
      await page.keyboard.press('Enter');
      await page.waitForSelector('[data-state=valid]');
      await page.getByText('scripted:demo', { exact: true }).waitFor();
      await page.getByRole('link', { name: 'Code', exact: true }).click();
      const code = page.getByRole('region', { name: 'In your code' });
      await code.getByRole('button', { name: 'Copy', exact: true }).first().click();
      writeFileSync(join(project, 'ask.mts'), await copied(page));
      await code.getByText('node ask.mts').waitFor();
      await code.getByText('export TRUECAST_TOKEN=').locator('xpath=..').getByRole('button').click();
      const exported = await copied(page);
      const { stdout: token } = await execa('sh', ['-ec', `${exported}; printenv TRUECAST_TOKEN`], {
        cwd: project,
        env: { HOME: project },
      });
      const there = { cwd: project, env: { TRUECAST_TOKEN: token } };
      const { stdout } = await execa(process.execPath, ['ask.mts'], there);
      expect(stdout).toMatch(/file: 'src\/loop\.ts',[^]* [\da-f]{64}$/u);
      await code.getByRole('button', { name: 'curl', exact: true }).click();
      await code.getByRole('button', { name: 'Copy', exact: true }).first().click();
      writeFileSync(join(project, 'ask.sh'), await copied(page));
      await code.getByText('sh ask.sh').waitFor();
      const shell = await execa('sh', ['ask.sh'], there);
      expect(JSON.parse(shell.stdout)).toMatchObject({ status: 'succeeded', value: { file: 'src/loop.ts' } });
      expect(shell.stderr).toBe('');
      await page.getByRole('link', { name: 'Start', exact: true }).first().click();
      await page.getByText('Connect a model').click();
      await page.getByText('Connect it at each start').click();
      const command = page.getByText('npx --no truecast serve');
      expect(await command.innerText()).toMatch(/^read -rs ANTHROPIC_API_KEY && export .* --port \d+$/u);
      await page.getByRole('button', { name: 'On this machine' }).click();
      expect(await violationsOf(page)).toEqual([]);
      return page;
    };
    const page = await whileServing(['--open'], {}, first, { isProcess: true });
    await page.getByText('The server is stopped.').waitFor();
    const local = await page.getByText('npx --no truecast serve').innerText();
    const answers = [{ line: 0 }, { line: 7 }, { line: 0 }].map((wrong) =>
      reply.tool('submit_structured_output', { output: { file: 'src/a.ts', why: 'Off by one.', ...wrong } }),
    );
    await using model = await scriptedModelServer({ script: () => answers.shift() ?? reply.error(401) });
    const [base = '', name = ''] = [...local.matchAll(/([A-Z_]+)=/gu)].map((match) => match[1] ?? '');
    const connected = { [base]: model.openaiUrl, [name]: 'tiny' };
    await whileServing(['--port', new URL(page.url()).port], connected, async () => {
      // Without a reload, the page has the model and the focus on the button.
      await page.getByText('is connected. Ask it the first question.').waitFor();
      expect(await page.locator('[role=status]', { hasText: 'is connected' }).innerText()).toContain('tiny');
      await page.locator('button:focus', { hasText: 'Ask' }).waitFor();
      await page.keyboard.press('Enter');
      await page.waitForSelector('[data-state=valid]');
      expect(await page.getByLabel('Refused attempts').innerText()).toContain('/line');
      await page.getByRole('link', { name: 'Receipt', exact: true }).click();
      await page.getByRole('link', { name: 'Which fields fail' }).click();
      const fields = page.getByRole('table').filter({ hasText: 'most common issue' });
      await fields.getByText('/line').waitFor();
      expect(await fields.innerText()).toMatch(/\/line[^]*few, 1 of/u);
      // The first question was for the scripted model, which the server no longer has.
      await page.getByRole('link', { name: 'Receipts', exact: true }).first().click();
      await page.getByRole('listitem').filter({ hasText: 'scripted:demo' }).first().getByRole('link').click();
      await page.getByRole('link', { name: 'Ask again with …' }).click();
      await page.waitForFunction(`document.querySelector('#question')?.value !== ''`);
      const again = page.getByLabel('Model', { exact: true });
      await expect.poll(() => again.locator('option:checked').innerText()).toMatch(/^Default: .*tiny$/u);
    });
  },
  WALK_MS,
);
