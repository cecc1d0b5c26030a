/**
 * Path of a newcomer: `truecast serve --open` in an empty folder, a sealed value, the program that gets
 * it, the same with another model, and the field that fails. Nothing is typed that the page does not show.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Browser, Page } from 'playwright-core';
import { reply } from '../../packages/model/src/scripted-model/turn/scripted-reply.ts';
import { scriptedModelServer } from '../../packages/model/src/scripted-model/scripted-model-server.ts';
import { KEY_VARIABLES } from '../../packages/server/src/models/resolve-model.ts';
import { unpackPackages } from '../package/unpack-packages.ts';
import { startBrowser, violationsOf } from './console-fixture.ts';

/** Stands in for the desktop: writes the file that it is asked to open. */
const OPENER = '#!/bin/sh\nprintf %s "$1" > "$TRUECAST_OPENED"\n';
const START_MS = 240_000;
/** Two servers, a program and a browser: 11 s, and 48 s beside 20 other processes. */
const WALK_MS = 180_000;

let project: string;
let browser: Browser;
beforeAll(async () => {
  project = realpathSync(mkdtempSync(join(tmpdir(), 'truecast-newcomer-')));
  await unpackPackages(project);
  mkdirSync(join(project, 'bin'));
  writeFileSync(join(project, 'bin/xdg-open'), OPENER);
  chmodSync(join(project, 'bin/xdg-open'), 0o755);
  browser = await startBrowser();
}, START_MS);
afterAll(async () => {
  await browser.close();
  rmSync(project, { recursive: true, force: true, maxRetries: 5 });
});

const command = (): string => join(project, 'node_modules/truecast/dist/cli.mjs');

function environment(changes: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const secret = new Set<string>([...Object.values(KEY_VARIABLES), 'TRUECAST_BASE_URL', 'TRUECAST_MODEL']);
  const kept = Object.entries(process.env).flatMap(([name, value]) =>
    value === undefined || secret.has(name) ? [] : [[name, value] as const],
  );
  const PATH = `${join(project, 'bin')}:${process.env['PATH'] ?? ''}`;
  return { ...Object.fromEntries(kept), HOME: project, PATH, ...changes };
}

/** Runs `truecast serve` until the task is done. */
async function whileServing(
  args: readonly string[],
  changes: Readonly<Record<string, string>>,
  task: (url: string) => Promise<void>,
): Promise<void> {
  const server = spawn(process.execPath, [command(), 'serve', ...args], {
    cwd: project,
    env: environment(changes),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(server, 'close');
  try {
    await task(await addressIn(server.stderr));
  } finally {
    server.kill('SIGTERM');
    await ended;
  }
}

async function addressIn(stderr: NodeJS.ReadableStream): Promise<string> {
  const said: string[] = [];
  for await (const line of createInterface({ input: stderr })) {
    said.push(line);
    const url = /^Serving at (.+)$/u.exec(line)?.[1];
    if (url !== undefined) return url;
  }
  throw new TypeError(`The server did not start: ${said.join('\n')}`);
}

async function copied(page: Page): Promise<string> {
  return String(await page.evaluate('navigator.clipboard.readText()'));
}

it(
  'goes from the opened page to a sealed value, its program, another model, and the field that fails',
  async () => {
    const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] });
    const page = await context.newPage();
    const opened = join(project, 'opened');
    let origin = '';
    await whileServing(['--open', '--port', '0'], { TRUECAST_OPENED: opened }, async (url) => {
      origin = url;
      await expect.poll(() => readIfWritten(opened), { timeout: START_MS }).toMatch(/open\.html$/u);
      await page.goto(pathToFileURL(readFileSync(opened, 'utf8')).href);
      await page.waitForURL(`${url}/`);
      await page.getByText('No model is connected.').waitFor();
      await page.keyboard.press('Enter');
      await page.waitForSelector('[data-state=valid]');
      await page.getByRole('link', { name: 'Start', exact: true }).first().click();
      const code = page.getByRole('region', { name: 'In your code' });
      await code.getByRole('button', { name: 'Copy', exact: true }).first().click();
      writeFileSync(join(project, 'ask.ts'), await copied(page));
      await code.getByText('node ask.ts').waitFor();
      await code.getByText('export TRUECAST_TOKEN=…').locator('xpath=../..').getByRole('button').click();
      const [, name = '', token = ''] = /^export (\w+)=(\S+)$/u.exec(await copied(page)) ?? [];
      const { stdout } = await execa(process.execPath, ['ask.ts'], {
        cwd: project,
        env: { [name]: token },
      });
      expect(stdout).toMatch(/file: 'src\/loop\.ts',[^]* [\da-f]{64}$/u);
      await page.getByText('Connect a model').click();
      expect(await violationsOf(page)).toEqual([]);
    });
    const local = await page.getByText('npx truecast serve').nth(1).innerText();
    const answers = [{ line: 0 }, { line: 7 }, { line: 0 }].map((wrong) =>
      reply.tool('submit_structured_output', { output: { file: 'src/a.ts', why: 'Off by one.', ...wrong } }),
    );
    await using model = await scriptedModelServer({ script: () => answers.shift() ?? reply.error(401) });
    const [base = '', name = ''] = [...local.matchAll(/([A-Z_]+)=/gu)].map((match) => match[1] ?? '');
    const connected = { [base]: model.openaiUrl, [name]: 'tiny' };
    await whileServing(['--port', new URL(origin).port], connected, async () => {
      await page.getByText('Connection lost').waitFor({ state: 'detached' });
      await page.reload();
      await page.getByText('No model is connected.').waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Ask', exact: true }).click();
      await page.waitForSelector('[data-state=valid]');
      expect(await page.getByLabel('Refused attempts').innerText()).toContain('/line');
      await page.getByRole('link', { name: 'Receipt', exact: true }).click();
      await page.getByRole('link', { name: 'Which fields fail' }).click();
      const fields = page.getByRole('table').filter({ hasText: 'Most common issue' });
      await fields.getByText('/line').waitFor();
      expect(await fields.innerText()).toMatch(/\/line[^]*few, 1 of/u);
    });
    await context.close();
  },
  WALK_MS,
);

function readIfWritten(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
