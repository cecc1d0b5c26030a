/**
 * World of a run that is repeated: a repository, an agent's script, and executions. One that is killed has a
 * process of its own.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect } from 'vitest';
import { bundledHost } from '../bundled-host.ts';
import { type Kill, watchWrites } from './executed-writes.ts';
import { git, makeRepository, temporaryFolder } from './fixture.ts';
import { executeRun, type ExecutionOptions } from './repeating-run.ts';

const HOST = new URL('repeating-host.ts', import.meta.url);

/** Options that an execution changes. `kill` needs a process, and so does one at the same time as another. */
export interface Execution extends Partial<ExecutionOptions> {
  readonly kill?: Kill;
  readonly isApart?: true;
}

/** Lines that an execution prints. */
export interface Printed {
  readonly answer?: string;
  readonly mode?: string;
  readonly commits?: readonly { readonly sha: string }[];
  readonly branch?: string;
  readonly commitsSince?: string;
  readonly pullRequestUrl?: string;
  readonly warnings?: readonly string[];
  readonly error?: string;
  readonly code?: string;
  readonly writes: number;
}

/** A repository, and an agent that commits `b.txt` and `c.txt` unless they are there. */
export interface World {
  readonly cwd: string;
  readonly folder: string;
  /** Shell script of the agent. */
  readonly script: string;
  /** One line per start of the agent: `start` and the session that it resumes. */
  starts(): readonly string[];
  /** Returns undefined if the process was killed. */
  execute(changes?: Execution): Promise<Printed | undefined>;
  /** Kills the process when a file exists that the agent writes. */
  killAt(path: string): Promise<void>;
}

/** Options of a world. */
export interface WorldOptions {
  /** Shell lines between the two commits. @default none */
  readonly between?: string;
  /** Shell lines before the first commit. @default a session, and a line in the log of starts */
  readonly begin?: string;
  /** @default the answer in `<result>` */
  readonly end?: string;
  /** Options of each execution. */
  readonly host?: Partial<ExecutionOptions>;
  /** Variables of each execution. */
  readonly env?: Readonly<Record<string, string>>;
  /** @default a repository with one commit */
  readonly cwd?: string;
}

/** Creates the world. */
export function makeWorld(options: WorldOptions = {}): World {
  const { cwd = makeRepository(), between = '', env = {} } = options;
  const folder = temporaryFolder();
  const log = join(folder, 'starts');
  writeFileSync(join(folder, 'session'), '');
  const { begin = `echo "start $RESUMED" >> ${log}\necho SESSION s1` } = options;
  const { end = `echo '<result>{"answer":42}</result>'` } = options;
  const script = [begin, commitOnce('b.txt'), between, commitOnce('c.txt'), end].join('\n');
  const shared: ExecutionOptions = {
    cwd,
    id: 'job 1/ü',
    script,
    sandbox: 'none',
    strategy: 'merge-to-head',
    sessions: join(folder, 'session'),
    ...options.host,
  };
  return {
    cwd,
    folder,
    script,
    starts: () => (existsSync(log) ? readFileSync(log, 'utf8').trim().split(/ ?\n/u) : []),
    async execute({ isApart, ...changes } = {}) {
      const asked = { ...shared, ...changes };
      if (isApart !== true && changes.kill === undefined) return executeHere(asked, env);
      const words = [await bundledHost(HOST), JSON.stringify(asked)];
      const ended = await execa(process.execPath, words, { reject: false, env });
      return ended.stdout === '' ? undefined : (JSON.parse(ended.stdout) as Printed);
    },
    async killAt(path) {
      const running = execa(process.execPath, [await bundledHost(HOST), JSON.stringify(shared)], {
        reject: false,
        env,
      });
      await expect.poll(() => existsSync(path), { timeout: 60_000 }).toBe(true);
      running.kill('SIGKILL');
      await running;
    },
  };
}

/** Executes the run in this process, with the variables that a process of its own would have. */
async function executeHere(
  options: ExecutionOptions,
  env: Readonly<Record<string, string>>,
): Promise<Printed> {
  const saved = { ...process.env };
  Object.assign(process.env, env);
  using watched = watchWrites();
  try {
    const printed = await executeRun(options);
    return JSON.parse(JSON.stringify({ ...printed, writes: watched.count() })) as Printed;
  } finally {
    for (const name of Object.keys(env)) {
      if (saved[name] === undefined) delete process.env[name];
      else process.env[name] = saved[name];
    }
  }
}

function commitOnce(name: string): string {
  return `git cat-file -e HEAD:${name} 2> /dev/null || { echo ${name} > ${name}; git add ${name}; git commit -q -m ${name}; }`;
}

/** Returns the subjects of a branch, the oldest first. */
export function subjects(cwd: string, revision = 'main'): readonly string[] {
  return git(cwd, 'log', '--format=%s', '--reverse', revision).split('\n');
}
