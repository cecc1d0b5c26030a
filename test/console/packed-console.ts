/** Packed console: hooks of a test file that start a server of the packed packages, and a browser. */
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll } from 'vitest';
import {
  scriptedModelServer,
  type ScriptedModelServerOptions,
} from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { makeRepository } from '../run/fixture.ts';
import { DEMO_PACE, type DemoPace } from '../../packages/server/src/serve/scripted-model.ts';
import { sharedPackages } from '../package/shared-build.ts';
import { linkUnpackedPackages } from '../package/unpack-packages.ts';
import { makeSampleRepository } from './sample-repository.ts';
import { scriptedAgent } from './durable-runs.ts';
import {
  startConsoleHere,
  type ConsoleServer,
  type ConsoleServerOptions,
  type CreateConsole,
} from './console-fixture.ts';
import { consolePort } from './console-port.ts';
import { closePages, leavePages } from './kept-pages.ts';
import { sharedBrowser } from './shared-browser.ts';

type Script = ScriptedModelServerOptions['script'];

/** Packing, unpacking and starting take this long on a busy machine. */
const START_MS = 240_000;

/** The demo model answers at once: a page draws each piece of an answer. */
const AT_ONCE: DemoPace = { chunkMs: 0, correctionMs: 0 };

/** A server of the packed packages, and a browser. */
export interface PackedConsole {
  /** Working directory of the server. */
  readonly project: string;
  /** Repository of agent runs. Undefined without them. */
  readonly repository: string | undefined;
  readonly databaseUrl: string;
  /** Ids of an agent's commits in the project, oldest first. */
  readonly commits: readonly string[];
  readonly server: ConsoleServer;
  readonly browser: Browser;
  /** Lets the demo model write as for a person until the end of the test. */
  slowDemo(): void;
}

/** Options of `packedConsole`. */
export interface ConsoleOptions {
  /** Replies of the model `local:scripted`. @default none */
  readonly script?: Script;
  readonly hasSubagents?: boolean;
  /** True for a server that accepts agent runs, in the repository `web`. @default false */
  readonly hasRuns?: boolean;
  /** True for chats whose model can start these runs. @default false */
  readonly delegates?: boolean;
  /** True for a project that is a repository with the commits of an agent. @default false */
  readonly isRepository?: boolean;
  /** Shell script of the agent of these runs. @default the agent is not installed */
  readonly agent?: string;
}

/**
 * Registers hooks that start a server and a browser for the tests of a file, and that stop them.
 * Read the members in tests.
 */
export function packedConsole(options: ConsoleOptions = {}): PackedConsole {
  let started: StartedConsole | undefined;
  beforeAll(async () => {
    started = await startPackedConsole(options);
  }, START_MS);
  afterEach(async ({ task }) => {
    started?.quickDemo();
    // A repeated test has a new page.
    const leave = task.result?.state === 'fail' ? closePages : leavePages;
    if (started !== undefined) await leave(started.browser);
  });
  afterAll(() => started?.[Symbol.asyncDispose]());
  const running = (): PackedConsole => {
    if (started === undefined) throw new TypeError('Expected the server to be started.');
    return started;
  };
  return {
    get project() {
      return running().project;
    },
    get repository() {
      return running().repository;
    },
    get databaseUrl() {
      return running().databaseUrl;
    },
    get commits() {
      return running().commits;
    },
    get server() {
      return running().server;
    },
    get browser() {
      return running().browser;
    },
    slowDemo: () => running().slowDemo(),
  };
}

interface StartedConsole extends PackedConsole, AsyncDisposable {
  quickDemo(): void;
}

/** Links the packed packages into a new project, and starts its server and a browser. */
async function startPackedConsole({
  script,
  hasSubagents = false,
  hasRuns = false,
  delegates = false,
  isRepository = false,
  agent,
}: ConsoleOptions): Promise<StartedConsole> {
  const project = realpathSync(mkdtempSync(join(tmpdir(), 'truecast-console-')));
  writeFileSync(join(project, 'package.json'), '{"type":"module"}');
  await linkUnpackedPackages(project);
  const commits = isRepository ? makeSampleRepository(project) : [];
  const model = script === undefined ? undefined : await scriptedModelServer({ script });
  const databaseUrl = join(project, 'console.sqlite');
  const atEnd: (() => void)[] = [];
  const repository = hasRuns ? makeRepository('web', (remove) => atEnd.push(remove)) : undefined;
  const env = agent === undefined ? undefined : scriptedAgent(project, agent);
  const options = { modelUrl: model?.openaiUrl, databaseUrl, hasSubagents, repository, delegates, env };
  const demoPace = { ...AT_ONCE };
  const server = await startServer(project, { ...options, demoPace });
  const browser = await sharedBrowser();
  return {
    project,
    repository,
    databaseUrl,
    commits,
    server,
    browser,
    slowDemo: () => Object.assign(demoPace, DEMO_PACE),
    quickDemo: () => Object.assign(demoPace, AT_ONCE),
    [Symbol.asyncDispose]: async () => {
      await closePages(browser);
      await server[Symbol.asyncDispose]();
      await model?.close();
      for (const remove of atEnd) remove();
      rmSync(project, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** An agent finds its programs by the variables of this process. `leave-no-trace.ts` restores them after the file. */
async function startServer(
  project: string,
  { env, ...options }: ConsoleServerOptions & { readonly demoPace: DemoPace },
): Promise<ConsoleServer> {
  Object.assign(process.env, env);
  const there = { ...options, port: await consolePort() };
  return startConsoleHere(await packedServer(), project, there);
}

/** Returns `createChatServer()` of the packed packages. */
export async function packedServer(): Promise<CreateConsole> {
  const packed = pathToFileURL(join(await sharedPackages(), '@truecast/server/dist/index.mjs'));
  const { createChatServer } = (await import(packed.href)) as { readonly createChatServer: CreateConsole };
  return createChatServer;
}
