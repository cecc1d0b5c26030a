/** Served project: the packed packages in an empty folder, `truecast serve` in it, and a browser. */
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
import type { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import type { Browser } from 'playwright-core';
import { KEY_VARIABLES } from '@truecast/model/internal/models-file/list-variables';
import { serveHere, type ServeCall } from '../cli/serve-here.ts';
import { FORM } from '../matrix.ts';
import { linkUnpackedPackages } from '../package/unpack-packages.ts';
import { closePages } from './kept-pages.ts';
import { consolePort } from './console-port.ts';
import { sharedBrowser } from './shared-browser.ts';

/** Stands in for the desktop: writes the file that it is asked to open. */
const OPENER = '#!/bin/sh\nprintf %s "$1" > "$TRUECAST_OPENED"\n';
const PROGRAM = 'node_modules/truecast/dist/cli.mjs';
const START_MS = 240_000;

/** A running `truecast serve`. */
export interface Served {
  readonly url: string;
  /** Address of the page that `--open` opens. */
  openedPage(): Promise<string>;
}

/** The folder of the project, its browser, and the command. */
export interface ServedProject {
  readonly project: string;
  readonly browser: Browser;
  /** Runs `truecast serve` until the task is done, and returns its result. Without a port, it has that of the worker's consoles. */
  whileServing<Result>(
    args: readonly string[],
    changes: Readonly<Record<string, string>>,
    task: (served: Served) => Promise<Result>,
    options?: ServedOptions,
  ): Promise<Result>;
}

/** Options of a server. */
export interface ServedOptions {
  /** True for the packed command in a process of its own, as in the whole form. @default false */
  readonly isProcess?: boolean;
}

/** Registers hooks that create the project and the browser for the tests of a file. */
export function servedProject(): ServedProject {
  let project = '';
  let browser: Browser | undefined;
  beforeAll(async () => {
    project = realpathSync(mkdtempSync(join(tmpdir(), 'truecast-newcomer-')));
    await linkUnpackedPackages(project);
    mkdirSync(join(project, 'bin'));
    writeFileSync(join(project, 'bin/xdg-open'), OPENER);
    chmodSync(join(project, 'bin/xdg-open'), 0o755);
    // As an installation does, for `npx --no truecast`.
    mkdirSync(join(project, 'node_modules/.bin'), { recursive: true });
    const command = `#!/bin/sh\nexec '${process.execPath}' '${join(project, PROGRAM)}' "$@"\n`;
    writeFileSync(join(project, 'node_modules/.bin/truecast'), command, { mode: 0o755 });
    browser = await sharedBrowser();
  }, START_MS);
  afterEach(async () => {
    if (browser !== undefined) await closePages(browser);
  });
  afterAll(() => {
    rmSync(project, { recursive: true, force: true, maxRetries: 5 });
  });
  return {
    get project() {
      return project;
    },
    get browser() {
      if (browser === undefined) throw new TypeError('Expected the browser to be started.');
      return browser;
    },
    whileServing: (args, changes, task, { isProcess = FORM === 'whole' } = {}) =>
      serve(isProcess ? startProcess : startHere, project, { args, changes }, task),
  };
}

/** A started command. `stop()` ends it as a signal does, and waits. */
interface Started {
  readonly stderr: Readable;
  stop(): Promise<void>;
}

async function serve<Result>(
  start: (call: ServeCall) => Started,
  project: string,
  { args, changes }: { readonly args: readonly string[]; readonly changes: Readonly<Record<string, string>> },
  task: (served: Served) => Promise<Result>,
): Promise<Result> {
  const opened = join(project, 'opened');
  rmSync(opened, { force: true });
  const port = args.includes('--port') ? [] : ['--port', String(await consolePort())];
  const env = environment(project, { TRUECAST_OPENED: opened, ...changes });
  const { stderr, stop } = start({ words: ['serve', ...args, ...port], cwd: project, env });
  try {
    const url = await addressIn(stderr);
    return await task({ url, openedPage: () => openedPage(opened) });
  } finally {
    await stop();
  }
}

/** The packed command in a process of its own. */
function startProcess({ words, cwd, env }: ServeCall): Started {
  const server = spawn(process.execPath, [join(cwd, PROGRAM), ...words], {
    cwd,
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(server, 'close');
  const stop = async (): Promise<void> => {
    server.kill('SIGTERM');
    await ended;
  };
  return { stderr: server.stderr, stop };
}

/** The command in this process: its start takes a part of the time. */
function startHere(call: ServeCall): Started {
  const { stdout, stderr, stop } = serveHere(call);
  stdout.resume();
  return { stderr, stop: async () => void (await stop()) };
}

function environment(
  project: string,
  changes: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const secret = new Set<string>([...Object.values(KEY_VARIABLES), 'TRUECAST_BASE_URL', 'TRUECAST_MODEL']);
  const kept = Object.entries(process.env).flatMap(([name, value]) =>
    value === undefined || secret.has(name) ? [] : [[name, value] as const],
  );
  const PATH = `${join(project, 'bin')}:${process.env['PATH'] ?? ''}`;
  return { ...Object.fromEntries(kept), HOME: project, PATH, ...changes };
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

async function openedPage(opened: string): Promise<string> {
  await expect.poll(() => readIfWritten(opened), { timeout: START_MS }).toMatch(/open\.html$/u);
  return pathToFileURL(readFileSync(opened, 'utf8')).href;
}

function readIfWritten(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
