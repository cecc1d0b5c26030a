/** Screenshots of durable runs: queued, running, stopped, failed and valid, and the list of them. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { git, makeRepository } from '../run/fixture.ts';
import { startConsole, watchPage, type ConsoleServer } from './console-fixture.ts';
import { AGENT, ASKING, callRun, createRun, endedRun, scriptedAgent } from './durable-runs.ts';

type Shoot = (page: Page, name: string) => Promise<unknown>;

const SETTLED_MS = 700;
const PROBLEM = {
  code: 'service_unavailable',
  status: 503,
  title: 'Service Unavailable',
  detail: 'The database does not answer. Try again.',
};

/** A server with one run in each state, by name. */
interface SampleRuns extends AsyncDisposable {
  readonly server: ConsoleServer;
  readonly ids: Readonly<Record<'failed' | 'valid' | 'asking' | 'canceled' | 'running' | 'queued', string>>;
}

/** Starts a server whose agent is a script, and brings runs into each state. */
export async function startRuns(cwd: string): Promise<SampleRuns> {
  const folder = mkdtempSync(join(tmpdir(), 'truecast-shots-'));
  const atEnd: (() => void)[] = [() => rmSync(folder, { recursive: true, force: true })];
  const repository = makeRepository('web', (remove) => atEnd.push(remove));
  const env = scriptedAgent(folder, AGENT);
  const server = await startConsole(cwd, { databaseUrl: join(folder, 'console.sqlite'), repository, env });
  const failed = await createRun(server, 'Triage issue 412.', { metadata: { issue: '412' } });
  await endedRun(server, failed);
  writeFileSync(join(repository, 'fixed'), '');
  git(repository, 'add', 'fixed');
  git(repository, 'commit', '-q', '-m', 'fix');
  const valid = (await callRun(server, 'POST', `/${failed}/retry`)).id;
  await endedRun(server, valid);
  const asking = await createRun(server, 'End the loop earlier, and ask who uses it.', {
    response_format: ASKING,
  });
  await endedRun(server, asking);
  const forked = await callRun(server, 'POST', `/${asking}/continue`, {
    message: 'Both, but keep the old result.',
    fork: true,
  });
  await endedRun(server, forked.id);
  const canceled = await createRun(server, 'Update the licences of all packages slowly.');
  await hasCommitted(server, canceled);
  await callRun(server, 'POST', `/${canceled}/cancel`);
  await endedRun(server, canceled);
  const running = await createRun(server, 'Review the parser slowly, and end its loop earlier.');
  await hasCommitted(server, running);
  const queued = await createRun(server, 'Triage issue 415.\nAnswer with its severity.', { priority: 2 });
  const later = new Date(Date.now() + 3_600_000).toISOString();
  await createRun(server, 'Triage the issues of the night.', { start_after: later });
  return {
    server,
    ids: { failed, valid, asking, canceled, running, queued },
    [Symbol.asyncDispose]: async () => {
      await callRun(server, 'POST', `/${running}/cancel`);
      await endedRun(server, running);
      await server[Symbol.asyncDispose]();
      for (const remove of atEnd) remove();
    },
  };
}

async function hasCommitted({ url, token }: ConsoleServer, id: string): Promise<void> {
  const headers = { authorization: `Bearer ${token}` };
  const { body } = await fetch(`${url}/api/runs/${id}/stream`, { headers });
  let text = '';
  for await (const chunk of body ?? []) {
    text += Buffer.from(chunk).toString();
    if (text.includes('I committed a first fix')) return;
  }
}

/** Takes the pictures of one size and theme. */
export async function shootRuns(
  browser: Browser,
  { server, ids }: SampleRuns,
  options: BrowserContextOptions,
  shoot: Shoot,
): Promise<void> {
  const { page } = await watchPage(browser, server, options);
  const { url } = server;
  await page.goto(await server.newLink());
  await page.waitForSelector('#question');
  await page.goto(`${url}/runs`);
  await page.waitForSelector('ol[aria-label=Runs]');
  await shoot(page, 'durable-runs');
  for (const [name, id] of Object.entries(ids)) {
    await page.goto(`${url}/runs/${id}`);
    await page.waitForSelector('[role=tabpanel] section');
    await page.waitForTimeout(SETTLED_MS);
    await shoot(page, `durable-${name}`);
  }
  for (const tab of ['environment', 'log', 'attempts', 'answer']) {
    await page.goto(`${url}/runs/${ids.valid}?tab=${tab}`);
    await page.waitForSelector('[role=tabpanel] :is(pre, ol, dl)');
    await page.waitForTimeout(SETTLED_MS);
    await shoot(page, `durable-${tab}`);
  }
  await page.goto(`${url}/runs/${ids.valid}`);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByLabel('Next task').fill('The tests of the importer fail now. Fix them.');
  await page.waitForTimeout(SETTLED_MS);
  await shoot(page, 'durable-continue');
  await page.goto(`${url}/runs/${ids.running}`);
  await page.getByRole('button', { name: 'Stop' }).waitFor();
  await page.keyboard.press('s');
  await page.getByRole('dialog').waitFor();
  await shoot(page, 'durable-stop');
  await page.keyboard.press('Escape');
  await page.route('**/cancel', (route) => route.fulfill({ status: 503, json: PROBLEM }));
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.getByRole('alert').waitFor();
  await shoot(page, 'durable-refused');
  await page.route(/\/api\/(?:kept_)?runs\?/u, (route) => route.fulfill({ status: 503, json: PROBLEM }));
  await page.goto(`${url}/runs`);
  await page.getByRole('alert').waitFor();
  await shoot(page, 'durable-failing');
  await page.unroute(/\/api\/(?:kept_)?runs\?/u);
  await page.route(/\/api\/(?:kept_)?runs\?/u, () => undefined);
  await page.goto(`${url}/runs`);
  await page.getByRole('status', { name: 'Loading' }).waitFor();
  await page.waitForTimeout(SETTLED_MS);
  await shoot(page, 'durable-loading');
  await page.context().close();
}
