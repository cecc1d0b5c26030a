/**
 * Runs the real agent CLIs in tests: their paths, a home and a repository for one run, their
 * environment, the run.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { jsonValueOf } from '../../packages/core/src/kit/json-value-of.ts';
import type { ScriptedModelServer } from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { repositoryTemplate } from '../../packages/truecast/src/git/test-template.ts';
import type { BubblewrapOptions } from '../../packages/truecast/src/sandboxes/bubblewrap/limits.ts';

/** A CLI of `test/agents/package.json`, by its program name. */
export type RealCli =
  | 'claude'
  | 'claude-agent-acp'
  | 'codex'
  | 'codex-acp'
  | 'copilot'
  | 'gemini'
  | 'kimi'
  | 'opencode'
  | 'pi'
  | 'qwen';

/** Folder in which the CLIs are installed: this one, or that of `npm run test:latest-agents`. */
export const AGENTS_FOLDER: string = process.env['TRUECAST_AGENTS_FOLDER'] ?? import.meta.dirname;

/** Directory to add to the PATH, so that the CLIs are found by name. */
export const CLI_BIN_DIR: string = join(AGENTS_FOLDER, 'node_modules/.bin');

/**
 * Directories of all the CLIs, for the PATH. OpenCode's package puts its program into its own
 * folder.
 */
export const CLI_BIN_DIRS: string = [
  CLI_BIN_DIR,
  join(AGENTS_FOLDER, 'node_modules/opencode-linux-x64/bin'),
].join(delimiter);

/** Directory of Pi's last version under its first package name, for the PATH. */
export const OLDER_PI_BIN_DIR: string = fileURLToPath(new URL('older/node_modules/.bin', import.meta.url));

/**
 * Environment that stops OpenCode from fetching its catalogue, and from installing its plugins'
 * package at every start. Its runs here do without them: a start takes 25 % less.
 */
export const OPENCODE_OFFLINE = {
  OPENCODE_DISABLE_MODELS_FETCH: '1',
  OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
  OPENCODE_DISABLE_FFF: '1',
  OPENCODE_DISABLE_PRUNE: '1',
  OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
  OPENCODE_EXPERIMENTAL_DISABLE_FILEWATCHER: '1',
  npm_config_offline: 'true',
} as const;

/** A catalogue with one model, of a service with a stored login. */
const OPENCODE_CATALOGUE: string = join(import.meta.dirname, 'opencode-models.json');

const CODEX_FILE: string = join(import.meta.dirname, 'codex-config.toml');

/** The end of Codex's settings: what it does at its start without need takes a quarter of its processor time. */
export const CODEX_ALONE: string = readFileSync(CODEX_FILE, 'utf8');

/**
 * Options of a `bubblewrap()` in which a CLI starts as quickly as outside: one on Node finds what it compiled
 * before, Copilot uses its unpacked files, and one on Bun starts no second compiler and collects no garbage.
 */
export function quickStart(): Required<Pick<BubblewrapOptions, 'env' | 'mounts'>> {
  const caches = ['NODE_COMPILE_CACHE', 'COPILOT_PKG_CACHE_HOME'];
  const names = [...caches, 'BUN_JSC_useDFGJIT', 'BUN_JSC_useGC'];
  const folders = caches.flatMap((name) => process.env[name] ?? []);
  for (const folder of folders) mkdirSync(folder, { recursive: true });
  return {
    env: Object.fromEntries(
      names.flatMap((name) => {
        const value = process.env[name];
        return value === undefined ? [] : [[name, value]];
      }),
    ),
    mounts: [
      { hostPath: OPENCODE_CATALOGUE, sandboxPath: OPENCODE_CATALOGUE, readonly: true },
      { hostPath: CODEX_FILE, sandboxPath: '~/.codex/config.toml', readonly: true },
      ...folders.map((folder) => ({ hostPath: folder, sandboxPath: folder })),
    ],
  };
}

/**
 * The same for a model that is configured: it does not read its catalogue, which takes 2 s of processor time at
 * each start. A sandbox shows the file by the mounts of `quickStart()`.
 */
export const OPENCODE_CONFIGURED = { ...OPENCODE_OFFLINE, OPENCODE_MODELS_PATH: OPENCODE_CATALOGUE } as const;

/**
 * Switches off further work of OpenCode, such as a commit of the whole folder before each step.
 * `opencode-sessions.test.ts` leaves it on.
 */
const OPENCODE_ALONE = {
  snapshot: false,
  lsp: false,
  formatter: false,
  autoupdate: false,
  share: 'disabled',
};

/** Configuration of OpenCode with the scripted model of a server as `local/scripted`. */
export function openCodeConfig(
  { baseURL, apiKey }: { readonly baseURL: string | undefined; readonly apiKey: string },
  more: { readonly models?: readonly string[]; readonly permission?: object } = {},
): { readonly OPENCODE_CONFIG_CONTENT: string } {
  const { models = [], ...rest } = more;
  const local = {
    npm: '@ai-sdk/openai-compatible',
    options: { baseURL, apiKey },
    models: Object.fromEntries(['scripted', ...models].map((name) => [name, {}])),
  };
  return { OPENCODE_CONFIG_CONTENT: JSON.stringify({ provider: { local }, ...OPENCODE_ALONE, ...rest }) };
}

/** Environment of Claude Code's ACP adapter: it starts the CLI of this folder instead of its own 320 MB copy. */
export const CLAUDE_ACP = {
  CLAUDE_CODE_EXECUTABLE: join(CLI_BIN_DIR, 'claude'),
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
} as const;

/** Name of the variable from which Codex reads its key, set by `writeCodexConfig`. */
const CODEX_KEY_NAME = 'SCRIPTED_MODEL_KEY';

/** Maximum duration of one run of a CLI, in milliseconds. The longest takes 3 s here. */
const RUN_TIMEOUT_MS = 60_000;

/** Returns the absolute path of an installed CLI, or undefined. */
function cliPath(cli: RealCli): string | undefined {
  return CLI_BIN_DIRS.split(delimiter)
    .map((directory) => join(directory, cli))
    .find((path) => existsSync(path));
}

/**
 * Declares a suite that needs an installed CLI. Without the CLI, the suite is skipped and the
 * reason is printed on stderr. If `CI` is `true`, it fails: a green CI has run the real CLIs.
 */
export function describeRealCli(cli: RealCli, title: string, declare: () => void): void {
  const isInstalled = cliPath(cli) !== undefined;
  const isRequired = process.env['CI'] === 'true';
  if (!isInstalled && isRequired) {
    test(`${title} (${cli} is installed)`, () => {
      expect.unreachable(`${cli} is not installed. Run: npm ci --prefix test/agents`);
    });
    return;
  }
  const reason = `${cli} is not installed; run: npm ci --prefix test/agents`;
  if (!isInstalled) process.stderr.write(`skipped: ${title} (${reason})\n`);
  describe.skipIf(!isInstalled)(isInstalled ? title : `${title} [skipped: ${reason}]`, declare);
}

/** A home and a repository with one commit, both temporary. */
export interface Workplace extends AsyncDisposable {
  readonly root: string;
  readonly home: string;
  readonly repo: string;
  /** Runs git in the repository and returns its stdout, trimmed. */
  git(...args: readonly string[]): Promise<string>;
}

/** A workplace for each test of a suite, with the CLIs on the `PATH`. Call it in the suite. */
export function workplaceForEach(
  files: Readonly<Record<string, string>>,
): Pick<Workplace, 'home' | 'repo' | 'git'> {
  const path = process.env['PATH'] ?? '';
  let work: Workplace;
  beforeEach(async () => {
    process.env['PATH'] = `${CLI_BIN_DIRS}${delimiter}${path}`;
    work = await makeWorkplace(files);
  });
  afterEach(async () => {
    process.env['PATH'] = path;
    await work[Symbol.asyncDispose]();
  });
  return {
    get home() {
      return work.home;
    },
    get repo() {
      return work.repo;
    },
    git: (...args) => work.git(...args),
  };
}

const copyEmpty = repositoryTemplate((cwd) => {
  for (const args of [
    ['init', '-q', '-b', 'main'],
    ['config', 'user.name', 'Test'],
    ['config', 'user.email', 'test@example.invalid'],
  ]) {
    execFileSync('git', args, { cwd });
  }
});

/**
 * Creates a workplace whose repository contains `files`, committed. It is removed when disposed.
 */
export async function makeWorkplace(files: Readonly<Record<string, string>>): Promise<Workplace> {
  const root = await mkdtemp(join(tmpdir(), 'truecast-cli-'));
  const home = join(root, 'home');
  const repo = join(root, 'repo');
  await mkdir(join(home, '.codex'), { recursive: true });
  await writeFile(join(home, '.codex/config.toml'), CODEX_ALONE);
  const git = async (...args: readonly string[]): Promise<string> => {
    const { stdout } = await execa('git', args, { cwd: repo, env: { HOME: home } });
    return stdout.trim();
  };
  copyEmpty(repo);
  await Promise.all(Object.entries(files).map(([name, text]) => writeFile(join(repo, name), text)));
  await git('add', '-A');
  await git('commit', '-q', '-m', 'start');
  // A CLI can still write to its home for a moment after it was killed.
  const dispose = (): Promise<void> => rm(root, { recursive: true, force: true, maxRetries: 5 });
  return { root, home, repo, git, [Symbol.asyncDispose]: dispose };
}

/** Options of a CLI's environment. */
export interface CliEnvironmentOptions {
  readonly home: string;
  readonly server: Pick<ScriptedModelServer, 'anthropicUrl' | 'openaiUrl'>;
  /** @default "scripted-key" */
  readonly key?: string;
  /** Retries of the CLI's transport. @default 1 */
  readonly maxRetries?: number;
}

/** Complete environment in which Claude Code connects only to the scripted server. */
export function claudeEnvironment(options: CliEnvironmentOptions): Record<string, string> {
  const { home, server, key = 'scripted-key', maxRetries = 1 } = options;
  return {
    ...baseEnvironment(home),
    ANTHROPIC_BASE_URL: server.anthropicUrl,
    ANTHROPIC_API_KEY: key,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    CLAUDE_CODE_MAX_RETRIES: String(maxRetries),
    // As root, it refuses to skip permissions unless a variable declares a sandbox.
    ...(process.getuid?.() === 0 && { IS_SANDBOX: '1' }),
  };
}

/**
 * Complete environment in which Codex connects to the scripted server. Writes `config.toml` into
 * its home.
 */
export async function codexEnvironment(options: CliEnvironmentOptions): Promise<Record<string, string>> {
  const { home, server, key = 'scripted-key', maxRetries = 1 } = options;
  const codexHome = join(home, '.codex');
  await mkdir(codexHome, { recursive: true });
  const config = [
    'model = "scripted"',
    'model_provider = "scripted"',
    '[model_providers.scripted]',
    'name = "scripted"',
    `base_url = "${server.openaiUrl}"`,
    'wire_api = "responses"',
    `env_key = "${CODEX_KEY_NAME}"`,
    `request_max_retries = ${maxRetries}`,
    `stream_max_retries = ${maxRetries}`,
    '[analytics]',
    'enabled = false',
    // Here Codex prints the functions of the user's shell, as it does by default.
    CODEX_ALONE.replace('shell_snapshot = false', ''),
  ];
  await writeFile(join(codexHome, 'config.toml'), config.join('\n'));
  return { ...baseEnvironment(home), CODEX_HOME: codexHome, [CODEX_KEY_NAME]: key };
}

function baseEnvironment(home: string): Record<string, string> {
  const path = `${CLI_BIN_DIR}:${process.env['PATH'] ?? ''}`;
  return { ...quickStart().env, HOME: home, PATH: path, LANG: 'C.UTF-8' };
}

/** Output and exit of one run of a CLI. */
export interface CliRun {
  /** Undefined if a signal or the time limit ended it. */
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
  /** The parsed JSON lines, in order. */
  readonly events: readonly Readonly<Record<string, unknown>>[];
}

/** Options of a CLI run. */
export interface RunCliOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Prompt on stdin. */
  readonly stdin: string;
}

/** Runs a CLI to its end. Never rejects because of an exit code. */
export async function runCli(cli: RealCli, args: readonly string[], options: RunCliOptions): Promise<CliRun> {
  const { exitCode, stdout, stderr } = await execa(join(CLI_BIN_DIR, cli), args, {
    cwd: options.cwd,
    env: options.env,
    extendEnv: false,
    input: options.stdin,
    reject: false,
    timeout: RUN_TIMEOUT_MS,
  });
  const events = stdout
    .split('\n')
    .map((line) => jsonValueOf(line))
    .filter(isRecord);
  return { exitCode, stdout, stderr, events };
}

/** Formats all output of a failed run, for an assertion message. */
export function describeRun(run: CliRun, server: ScriptedModelServer): string {
  const asked = server.requests.map(({ method, path, statusCode }) => `${method} ${path} ${statusCode}`);
  return [run.stdout.slice(-2_000), run.stderr.slice(-2_000), ...asked, ...server.failures.map(String)].join(
    '\n',
  );
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
