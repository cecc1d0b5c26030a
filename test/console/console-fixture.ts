/** Console fixture: a server with the demo model in its own process, and a browser. */
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { execa } from 'execa';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { z } from 'zod';

const PROGRAM = `
import { createChatServer } from '@truecast/server';
const limits = { requestsPerMinute: 10_000, concurrentRequests: 64 };
const subagents = process.env.CONSOLE_SUBAGENTS === 'true';
const { CONSOLE_MODEL_URL: url, CONSOLE_DATABASE: databaseUrl = ':memory:', CONSOLE_PORT: port = 0 } = process.env;
const keys = { TRUECAST_WEBHOOK_KEY: 'k'.repeat(32) };
const model = url && { models: ['scripted:demo', 'local:scripted'], environment: { ...keys, TRUECAST_BASE_URL: url } };
const place = { port: Number(port), databaseUrl, console: true };
const path = process.env.CONSOLE_REPOSITORY;
const agents = { agents: ['claude-code'], sandbox: 'bubblewrap', egress: 'none', perRepository: 1 };
const delegates = process.env.CONSOLE_DELEGATES === 'true' && { agents: { names: ['claude-code'], runsIn: 'web' } };
const runs = path && { repositories: { web: { path } }, runs: agents, ...delegates };
const server = await createChatServer({ ...place, environment: keys, subagents, ...model, ...runs, limits });
const scopes = ['chats', 'runs', 'project', 'metrics', 'admin'];
const { token } = await server.createToken({ name: 'console', scopes });
console.log(server.url + ' ' + token);
process.stdin.on('end', () => server.close()).resume();
`;

/** A server with the console. */
export interface ConsoleServer extends AsyncDisposable {
  readonly url: string;
  readonly token: string;
  /** Returns an address that signs one browser in, as `truecast link` prints it. */
  newLink(): Promise<string>;
}

/** A server in its own process. */
export interface ConsoleProcess extends ConsoleServer {
  /** Kills the process at once, as `kill -9` does. */
  kill(): Promise<void>;
}

/** Options of `startConsole`. */
export interface ConsoleServerOptions {
  /** Address of the model `local:scripted`. @default none */
  readonly modelUrl?: string | undefined;
  /** @default in memory */
  readonly databaseUrl?: string;
  /** @default a free one */
  readonly port?: number;
  /** True for chats whose model can start other ones. @default false */
  readonly hasSubagents?: boolean;
  /** Repository `web` of agent runs, of which one runs at a time. @default no runs */
  readonly repository?: string | undefined;
  /** True for chats whose model can start these runs. @default false */
  readonly delegates?: boolean;
  /** Further variables of the server's environment. @default none */
  readonly env?: Readonly<Record<string, string>> | undefined;
}

/** Starts the server of the packages in `cwd`. */
export async function startConsole(
  cwd: string,
  { modelUrl, databaseUrl, port, hasSubagents, repository, delegates, env = {} }: ConsoleServerOptions = {},
): Promise<ConsoleProcess> {
  const server = execa(process.execPath, ['--input-type=module', '-e', PROGRAM], {
    cwd,
    stdin: 'pipe',
    env: {
      ...env,
      ...(modelUrl !== undefined && { CONSOLE_MODEL_URL: modelUrl }),
      ...(databaseUrl !== undefined && { CONSOLE_DATABASE: databaseUrl }),
      ...(hasSubagents === true && { CONSOLE_SUBAGENTS: 'true' }),
      ...(delegates === true && { CONSOLE_DELEGATES: 'true' }),
      ...(port !== undefined && { CONSOLE_PORT: String(port) }),
      ...(repository !== undefined && { CONSOLE_REPOSITORY: repository }),
    },
    reject: false,
  });
  const line = once(createInterface({ input: server.stdout }), 'line');
  const first: unknown = await Promise.race([line, server]);
  const said: unknown = Array.isArray(first) ? first[0] : undefined;
  if (typeof said !== 'string') throw new TypeError(`The server did not start: ${(await server).stderr}`);
  const [url = '', token = ''] = said.split(' ');
  return {
    url,
    token,
    newLink: () => newLink(url, token),
    kill: async () => {
      server.kill('SIGKILL');
      await server;
    },
    [Symbol.asyncDispose]: async () => {
      server.stdin.end();
      await server;
    },
  };
}

const codeSchema = z.object({ code: z.string() });

/** Returns an address that signs one browser in to the server at `url`, as the owner of `token`. */
export async function newLink(url: string, token: string): Promise<string> {
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(`${url}/api/session_codes`, { method: 'POST', headers });
  return `${url}/#code=${codeSchema.parse(await response.json()).code}`;
}

/** Opens a link of the server in a page, and waits until the page is signed in. */
export async function signIn(page: Page, server: Pick<ConsoleServer, 'newLink'>): Promise<void> {
  await page.goto(await server.newLink());
  // The code stays in the address until it is exchanged.
  await page.waitForURL(({ hash }) => hash === '');
}

/** Chromium without windows and profiles. The same version draws a page in a third of the processor time. */
const HEADLESS_SHELL = '/usr/bin/chromium-headless-shell';

/** Starts the browser of the machine. */
export function startBrowser(): Promise<Browser> {
  const installed = existsSync(HEADLESS_SHELL) ? HEADLESS_SHELL : '/usr/bin/chromium';
  return chromium.launch({
    executablePath: process.env['TRUECAST_CHROMIUM'] ?? installed,
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
  });
}

/** A page, and everything that it must not do. */
export interface WatchedPage {
  readonly page: Page;
  /** Errors of the console and the policy, requests to other hosts, and addresses with a token or a code. */
  readonly faults: readonly string[];
}

/** Opens a page. */
export async function watchPage(
  browser: Browser,
  { url, token }: ConsoleServer,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(`error: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') faults.push(message.text());
  });
  page.on('request', (request) => {
    const address = request.url();
    const isSecret = address.includes(token) || address.includes('tcl_');
    if (!address.startsWith(url) || isSecret) faults.push(`request: ${address}`);
  });
  return { page, faults };
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const RUN = (options: object): string => `axe.run(${JSON.stringify(options)}).then(({ violations }) =>
  violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => id + ': ' + target.join(' '))))`;
/** Rules whose result depends on the theme. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];
/** A colour in transition, as after a change of the theme, has no contrast of either theme. */
const SETTLED = `Promise.allSettled(document.getAnimations()
  .filter(({ effect }) => Number.isFinite(effect?.getComputedTiming().endTime))
  .map(({ finished }) => finished)).then(() => 0)`;
const found = z.array(z.string());

/** Returns the accessibility violations of a page, as `rule: selector`. */
export async function violationsOf(page: Page): Promise<readonly string[]> {
  // The debugger evaluates it, once for each document. The page's policy stays active.
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(`${AXE};0`);
  return settledViolations(page, {});
}

/** Returns the violations that another theme can have, after `violationsOf()` of the same page. */
export function colourViolationsOf(page: Page): Promise<readonly string[]> {
  return settledViolations(page, { runOnly: COLOUR_RULES });
}

async function settledViolations(page: Page, options: object): Promise<readonly string[]> {
  await page.evaluate(SETTLED);
  return found.parse(await page.evaluate(RUN(options)));
}
