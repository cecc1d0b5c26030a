/**
 * World of agent runs whose workers are killed: a repository, a program that prints the lines of Claude Code,
 * and worker processes with the real executor in bubblewrap or podman.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import type { CreateAgentRunBody } from '../../packages/client/src/wire/runs/agent-run.ts';
import { createRunMachine, type RunMachine } from '../../packages/server/src/runs/state/run-machine.ts';
import type { RepositorySettings } from '../../packages/server/src/config/run-settings.ts';
import type { RunWorkerOptions } from '../../packages/server/src/runs/workers/run-scheduler.ts';
import type { RunRecord } from '../../packages/server/src/runs/state/run-records.ts';
import type { Store } from '../../packages/store/src/database/store.ts';
import { bundledHost } from '../bundled-host.ts';
import { TEST_IMAGE } from '../containers/shared-image.ts';
import { CLAUDE_SESSION, PRINT_SESSION, printResult, printText, writeFakeClaude } from '../fake-claude.ts';
import { git, makeRepository, temporaryFolder } from '../run/fixture.ts';
import { quickFork } from '../runner/quick-fork.ts';

const HOST = new URL('stepping-run-host.ts', import.meta.url);
export const OWNER = 'anna';

/** Shell lines of a program named `claude`. They can reach only the worktree. */
export const CLAUDE = {
  /** Reads the prompt, and logs the start as a commit: `start`, and `again` for a resumed session. */
  begin: [
    'prompt=$(cat)',
    'case "$*" in *--resume*) again=" again" ;; esac',
    'git commit -q --allow-empty -m "start$again" >&2',
  ].join('\n'),
  /** Commits a file unless it is committed. */
  commit: (name: string): string =>
    `git cat-file -e "HEAD:${name}" 2> /dev/null || { echo 1 > ${name} && git add ${name} && git commit -q -m ${name} >&2; }`,
  session: PRINT_SESSION,
  /** Stores the session where Claude Code does. */
  storeSession: [
    `sessions="$HOME/.claude/projects/$(pwd | sed 's/[^A-Za-z0-9]/-/g')"`,
    'mkdir -p "$sessions"',
    `echo "{\\"type\\":\\"user\\",\\"message\\":{\\"content\\":\\"x\\"},\\"cwd\\":\\"$(pwd)\\",\\"sessionId\\":\\"${CLAUDE_SESSION}\\"}" >> "$sessions/${CLAUDE_SESSION}.jsonl"`,
  ].join('\n'),
  /** Reports a text, by which the test knows where the agent is. */
  say: printText,
  answer: (answer: unknown): string => printResult({ structured_output: { answer } }),
};

/** A worker process. */
export interface RunWorkerProcess {
  readonly process: ChildProcess;
  /** Stops it after its next commit, outside of a transaction. */
  standStill(): Promise<void>;
  /** Continues it. */
  goOn(): void;
  kill(signal?: NodeJS.Signals): Promise<void>;
}

export interface RunWorld {
  readonly cwd: string;
  readonly machine: RunMachine;
  /** Points that the workers reached, in order. */
  readonly points: readonly string[];
  create(changes?: Partial<CreateAgentRunBody>): Promise<string>;
  /**
   * Starts a worker. With `stopAt`, it stays paused at that point, and `onStop` is called.
   *
   * @param options.stopAt - number of the point, or how the first such point begins
   * @param options.folder - working directory, which has the clones of addresses. @default one folder
   * @param options.url - address of the store for this worker, which can be away: its warnings are dropped.
   *   @default that of the world
   */
  start(options?: {
    readonly stopAt?: number | string;
    readonly folder?: string;
    readonly url?: string;
    /** Runs of the worker at once. @default 4 */
    readonly places?: number;
    onStop?(): void;
    /** Called at each point. The worker waits for it. */
    onPoint?(point: string): Promise<void>;
  }): Promise<RunWorkerProcess>;
  /** Waits for a text of the agent. */
  said(runId: string, text: string): Promise<void>;
  /** Waits for the end. */
  ended(runId: string): Promise<RunRecord>;
  /** Subjects of the commits on the run's branch after the first one. */
  subjects(runId: string): readonly string[];
}

export interface RunWorldOptions {
  readonly store: Store;
  readonly url: string;
  /** Shell lines of the agent. */
  readonly script: readonly string[];
  /** @default 'none' */
  readonly egress?: 'none' | 'host';
  /** @default 'bubblewrap' */
  readonly sandbox?: 'bubblewrap' | 'podman';
  /** @default a repository of this machine */
  readonly repository?: RepositorySettings;
  /** Variables of the workers, in addition. @default none */
  readonly env?: Readonly<Record<string, string>>;
  /** Of the workers. `joinMs` is the time for which they join events and notes. @default those of a server */
  readonly times?: Pick<RunWorkerOptions, 'leaseMs' | 'heartbeatMs'> & { readonly joinMs?: number };
}

export async function makeRunWorld({
  store,
  url,
  script,
  egress = 'none',
  sandbox = 'bubblewrap',
  repository,
  env: added = {},
  times = {},
}: RunWorldOptions): Promise<RunWorld> {
  const folder = temporaryFolder();
  const cwd = makeRepository();
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  const configOf = (places = 4): object => ({
    repositories: { web: repository ?? { path: cwd } },
    runs: {
      agents: ['claude-code'],
      sandbox,
      egress,
      places,
      ...(sandbox === 'podman' && { imageName: TEST_IMAGE }),
    },
  });
  const env = {
    ...process.env,
    ...added,
    HOME: folder,
    CLAUDE_CONFIG_DIR: join(folder, '.claude'),
    PATH: writeFakeClaude(bin, script.join('\n')),
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
    ...quickFork(),
  };
  const host = await bundledHost(HOST);
  const machine = createRunMachine({ store });
  const points: string[] = [];
  const branchOf = (runId: string): string => `truecast/runs/${runId}`;
  return {
    cwd,
    machine,
    points,
    async create(changes = {}) {
      const schema = {
        type: 'object',
        properties: { answer: { type: 'integer' } },
        required: ['answer'],
      };
      const response_format = { type: 'json_schema', json_schema: { name: 'answer', schema } } as const;
      const request = { repository: 'web', agent: 'claude-code', prompt: 'Count.', response_format };
      const whole = { owner: OWNER, request: { ...request, ...changes }, schemaHash: 'a'.repeat(64) };
      return (await machine.createRun(whole)).id;
    },
    async start({ stopAt = 0, folder: cwdOfWorker = folder, url: ownUrl, places, onStop, onPoint } = {}) {
      const child = spawn(
        process.execPath,
        [host, ownUrl ?? url, JSON.stringify(configOf(places)), JSON.stringify(times)],
        {
          stdio: ['pipe', 'pipe', ownUrl === undefined ? 'inherit' : 'ignore'],
          env,
          cwd: cwdOfWorker,
        },
      );
      onTestFinished(() => void child.kill('SIGKILL'));
      // It was killed while paused.
      child.stdin.on('error', () => undefined);
      let rest = '';
      let paused: PromiseWithResolvers<void> | undefined;
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        const lines = (rest + text).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) {
          points.push(line);
          if (stopsAt(points, stopAt)) onStop?.();
          else if (paused !== undefined && line.startsWith('after ')) paused.resolve();
          else if (onPoint === undefined) child.stdin.write('\n');
          else void onPoint(line).then(() => child.stdin.write('\n'));
        }
      });
      await once(child, 'spawn');
      return {
        process: child,
        async standStill() {
          paused = Promise.withResolvers();
          await paused.promise;
          child.kill('SIGSTOP');
        },
        goOn() {
          paused = undefined;
          child.kill('SIGCONT');
          child.stdin.write('\n');
        },
        async kill(signal = 'SIGKILL') {
          if (child.exitCode !== null || child.signalCode !== null) return;
          const exited = once(child, 'exit');
          child.kill(signal);
          await exited;
        },
      };
    },
    async said(runId, text) {
      const isSaid = async (): Promise<boolean> => {
        const events = await machine.listRunEvents({ runId, after: 0, limit: 1_000 });
        return events.some(({ data }) => data.includes(`"text":"${text}`));
      };
      await expect.poll(isSaid, { timeout: 60_000 }).toBe(true);
    },
    ended: (runId) => machine.waitForRun({ owner: OWNER, runId, waitMs: 120_000 }),
    subjects: (runId) => git(cwd, 'log', '--reverse', '--format=%s', branchOf(runId)).split('\n').slice(1),
  };
}

/** Returns true if the last point is the one at which the worker stays paused. */
function stopsAt(points: readonly string[], stopAt: number | string): boolean {
  if (typeof stopAt === 'number') return points.length === stopAt;
  return points.findIndex((point) => point.startsWith(stopAt)) === points.length - 1;
}

/** Returns the worktree of a branch. */
export function worktreeOf(cwd: string, branch: string): string {
  const blocks = git(cwd, 'worktree', 'list', '--porcelain').split('\n\n');
  const block = blocks.find((each) => each.split('\n').includes(`branch refs/heads/${branch}`)) ?? '';
  return /^worktree (.+)$/mu.exec(block)?.[1] ?? '';
}
