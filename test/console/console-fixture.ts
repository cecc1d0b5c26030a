/** Console fixture: a server with the demo model in its own process, and a browser. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { execa } from 'execa';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { z } from 'zod';
import type { NewToken } from '../../packages/server/src/contract/access-tokens.ts';
import type { ChatServer, ChatServerOptions } from '../../packages/server/src/serve/create-chat-server.ts';
import type { DemoPace } from '../../packages/server/src/serve/scripted-model.ts';
import { keepLoaded, openPage, takeLoadedPage } from './kept-pages.ts';

const PROGRAM = `
import { createChatServer } from '@truecast/server';
const server = await createChatServer(JSON.parse(process.env.CONSOLE_OPTIONS));
const { token } = await server.createToken(JSON.parse(process.env.CONSOLE_TOKEN));
console.log(server.url + ' ' + token);
process.stdin.on('end', () => server.close()).resume();
`;
const TOKEN: NewToken = { name: 'console', scopes: ['chats', 'runs', 'project', 'metrics', 'admin'] };

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

/** Options of `createChatServer()`. */
function chatServerOptions({
  modelUrl,
  databaseUrl = ':memory:',
  port = 0,
  hasSubagents = false,
  repository,
  delegates,
}: ConsoleServerOptions): ChatServerOptions {
  const environment = {
    TRUECAST_WEBHOOK_KEY: 'k'.repeat(32),
    ...(modelUrl !== undefined && { TRUECAST_BASE_URL: modelUrl }),
  };
  return {
    port,
    databaseUrl,
    console: true,
    environment,
    subagents: hasSubagents,
    limits: { requestsPerMinute: 10_000, concurrentRequests: 64 },
    ...(modelUrl !== undefined && { models: ['scripted:demo', 'local:scripted'] }),
    ...(repository !== undefined && {
      repositories: { web: { path: repository } },
      runs: { agents: ['claude-code'], sandbox: 'bubblewrap', egress: 'none', perRepository: 1 },
      ...(delegates === true && { agents: { names: ['claude-code'], runsIn: 'web' } }),
    }),
  };
}

/** Starts the server in a process of its own, with the packages in `cwd`. */
export async function startConsole(cwd: string, options: ConsoleServerOptions = {}): Promise<ConsoleProcess> {
  const server = execa(process.execPath, ['--input-type=module', '-e', PROGRAM], {
    cwd,
    stdin: 'pipe',
    env: {
      ...options.env,
      CONSOLE_OPTIONS: JSON.stringify(chatServerOptions(options)),
      CONSOLE_TOKEN: JSON.stringify(TOKEN),
    },
    reject: false,
  });
  const line = once(createInterface({ input: server.stdout }), 'line');
  const ended = async (): Promise<void> => void (await server);
  const first: unknown = await Promise.race([line, ended()]);
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

/** `createChatServer()` with the options of this project's own suites. */
export type CreateConsole = (
  options: ChatServerOptions,
  internal: { readonly demoPace: DemoPace },
) => Promise<ChatServer>;

/**
 * Starts the server in this process, which takes a tenth of the processor time. Until it has started, the
 * working directory is `cwd`, from which it reads files only at the start.
 */
export async function startConsoleHere(
  create: CreateConsole,
  cwd: string,
  { demoPace, ...options }: ConsoleServerOptions & { readonly demoPace: DemoPace },
): Promise<ConsoleServer> {
  const before = process.cwd();
  process.chdir(cwd);
  try {
    const server = await create(chatServerOptions(options), { demoPace });
    const { token } = await server.createToken(TOKEN);
    const { url } = server;
    const close = (): Promise<void> => server.close();
    return { url, token, newLink: () => newLink(url, token), [Symbol.asyncDispose]: close };
  } finally {
    process.chdir(before);
  }
}

const codeSchema = z.object({ code: z.string() });

/** Returns an address that signs one browser in to the server at `url`, as the owner of `token`. */
export async function newLink(url: string, token: string): Promise<string> {
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(`${url}/api/session_codes`, { method: 'POST', headers });
  return `${url}/#code=${codeSchema.parse(await response.json()).code}`;
}

/**
 * Opens a page of the console with the code of a link, and waits until it is signed in. Each load of a page takes a
 * fifth of a second of processor time: a page that is loaded gets the code as a link that is opened in its tab.
 */
export async function signIn(page: Page, server: Pick<ConsoleServer, 'newLink'>, path = ''): Promise<void> {
  const { origin, hash } = new URL(await server.newLink());
  if (signedOut.delete(page)) {
    const address = JSON.stringify(`/${path}`);
    await page.evaluate(
      `history.pushState(null, '', ${address}); location.hash = ${JSON.stringify(hash)}; 0`,
    );
  } else {
    await page.goto(`${origin}/${path}${hash}`);
  }
  // The code stays in the address until it is exchanged.
  await page.waitForURL(({ hash }) => hash === '');
}

/**
 * Goes to another page of the console as its links do, which takes a quarter of a load. A page that was open already
 * can show its old data for a moment.
 */
export async function goTo(page: Page, path: string): Promise<void> {
  const address = path.startsWith('/') ? path : `/${path}`;
  await page.evaluate(`history.pushState(null, '', ${JSON.stringify(address)});0`);
}

/** A page, and everything that it must not do. */
export interface WatchedPage {
  readonly page: Page;
  /** Errors of the console and the policy, requests to other hosts, and addresses with a token or a code. */
  readonly faults: readonly string[];
}

/** Pages of the test before, which have the console and no session. */
const signedOut = new WeakSet<Page>();
/** That of Playwright. */
const DEFAULT_SIZE = { width: 1280, height: 720 };

/**
 * Opens a page without a session, in the cheapest way: after `leavePages()` it is the page of the test before, which shows
 * how to sign in. After `closePages()`, it is a new one in the same context, whose cache has the console's files.
 */
export async function watchPage(
  browser: Browser,
  { url, token }: ConsoleServer,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const { viewport, colorScheme, ...rest } = options;
  const faults: string[] = [];
  const loaded = Object.keys(rest).length === 0 ? takeLoadedPage(browser, url) : undefined;
  const page = loaded ?? (await openPage(browser, url, rest));
  if (loaded !== undefined) {
    signedOut.add(loaded);
    await loaded.emulateMedia({ colorScheme: colorScheme ?? 'light' });
    await loaded.setViewportSize(viewport ?? DEFAULT_SIZE);
  } else {
    if (viewport) await page.setViewportSize(viewport);
    if (colorScheme) await page.emulateMedia({ colorScheme });
  }
  keepLoaded(page, { url, faults });
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
/** No rule reads style sheets, which axe would request again, and nobody reads what passed. */
const ONLY_VIOLATIONS = { resultTypes: ['violations'], preload: { assets: ['media'] } };
const RUN = (options: object): string => {
  const all = JSON.stringify({ ...ONLY_VIOLATIONS, ...options });
  return `axe.run(${all}).then(({ violations }) =>
  violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => id + ': ' + target.join(' '))))`;
};
/** Rules whose result depends on the theme. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];
/** A colour in transition, as after a change of the theme, has no contrast of either theme. */
const SETTLED = `Promise.allSettled(document.getAnimations()
  .filter(({ effect }) => Number.isFinite(effect?.getComputedTiming().endTime))
  .map(({ finished }) => finished)).then(() => 0)`;
const found = z.array(z.string());

/** Returns the accessibility violations of a page, as `rule: selector`. */
export async function violationsOf(page: Page): Promise<readonly string[]> {
  if ((await page.evaluate('typeof axe')) === 'undefined') await evaluateAxe(page);
  return settledViolations(page, {});
}

/** By the debugger, which compiles it once for a process. The page's policy stays active. */
async function evaluateAxe(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  // A violation is named by its selector. The markup of each element is not needed.
  await session.send('Runtime.evaluate', { expression: `${AXE};axe.configure({ noHtml: true });0` });
}

/** Returns the violations that another theme can have, after `violationsOf()` of the same page. */
export function colourViolationsOf(page: Page): Promise<readonly string[]> {
  return settledViolations(page, { runOnly: COLOUR_RULES });
}

async function settledViolations(page: Page, options: object): Promise<readonly string[]> {
  await page.evaluate(SETTLED);
  return found.parse(await page.evaluate(RUN(options)));
}
