/**
 * World of the proofs of agent runs: two whole servers that are killed, a repository, and a fake Claude Code
 * in bubblewrap.
 */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentRunReceipt } from '../../packages/client/src/wire/runs/agent-run.ts';
import { issueToken } from '../../packages/server/src/tokens/access-token.ts';
import { openStore } from '../../packages/store/src/open-store.ts';
import { bundledHost } from '../bundled-host.ts';
import { CLAUDE_SESSION, printResult, PRINT_SESSION, writeFakeClaude } from '../fake-claude.ts';
import { quickFork } from '../runner/quick-fork.ts';

/** A server with a worker. */
export interface JobServer {
  readonly url: string;
  kill(): Promise<void>;
}

export interface JobWorld {
  readonly repository: string;
  /** Path of the agent's program. */
  readonly program: string;
  /** Token of one owner, for runs. */
  readonly token: string;
  readonly servers: readonly JobServer[];
  /** Kills a server, and starts another one at the same address. */
  replace(place: number): Promise<void>;
  close(): Promise<void>;
}

export const SERVERS = 2;
const PARTS = ['half', 'rest'] as const;

/**
 * Makes two commits unless they are made, and answers with the number in its prompt, which a resumed one has in its
 * session. It takes up to two seconds.
 */
const CLAUDE = `prompt=$(cat)
sessions="$HOME/.claude/projects/$(pwd | sed 's/[^A-Za-z0-9]/-/g')"
session="$sessions/${CLAUDE_SESSION}.jsonl"
mkdir -p "$sessions"
number() { sed -n 's/.*job-\\([0-9]*\\)\\..*/\\1/p' | head -n 1; }
job=$(printf '%s\\n' "$prompt" | number)
[ -n "$job" ] || job=$(number < "$session")
printf '{"type":"user","message":{"content":"job-%s."},"cwd":"%s","sessionId":"${CLAUDE_SESSION}"}\\n' "$job" "$(pwd)" >> "$session"
pause() { sleep "0.$(od -An -N1 -tu1 /dev/urandom | tr -d ' ')"; }
commit() { git cat-file -e "HEAD:$1" 2> /dev/null || { echo "$job" > "$1" && git add "$1" && git commit -q -m "$1" >&2; }; }
${PRINT_SESSION}
pause
commit half
pause
commit rest
pause
${printResult({ structured_output: { job: 'NUMBER' } }).replace('NUMBER', `'"$job"'`)}`;

/** Starts the servers. `folder` is empty. */
export async function openJobWorld({
  databaseUrl,
  folder,
}: {
  readonly databaseUrl: string;
  readonly folder: string;
}): Promise<JobWorld> {
  const host = await bundledHost(new URL('job-server-host.ts', import.meta.url), folder);
  const [repository, bin, home] = ['repository', 'bin', 'home'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  for (const path of [repository, bin, home]) mkdirSync(path);
  const git = (...args: readonly string[]): void => void execFileSync('git', args, { cwd: repository });
  git('init', '-q', '-b', 'main');
  const author = ['-c', 'user.name=Test', '-c', 'user.email=test@example.invalid'];
  git(...author, 'commit', '-q', '--allow-empty', '-m', 'begin');
  const store = await openStore({ url: databaseUrl });
  const { token } = await issueToken(store, { name: 'proof', owner: 'proof', scopes: ['runs'] });
  await store.close();
  const env = {
    ...process.env,
    HOME: home,
    CLAUDE_CONFIG_DIR: join(home, '.claude'),
    PATH: writeFakeClaude(bin, CLAUDE),
    // That of the tests has the compiled server of an earlier world.
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? join(folder, 'compiled'),
    ...quickFork(),
  };
  const start = (port: string): Promise<JobServer> =>
    startServer(
      spawn(process.execPath, [host, databaseUrl, repository, port], {
        env,
        cwd: home,
        stdio: ['ignore', 'pipe', 'inherit'],
      }),
    );
  const servers = await Promise.all(Array.from({ length: SERVERS }, () => start('0')));
  return {
    repository,
    program: join(bin, 'claude'),
    token,
    servers,
    async replace(place) {
      const server = servers[place];
      if (server === undefined) return;
      await server.kill();
      servers[place] = await start(new URL(server.url).port);
    },
    close: async () => void (await Promise.all(servers.map((server) => server.kill()))),
  };
}

async function startServer(child: ChildProcess): Promise<JobServer> {
  let text = '';
  for await (const chunk of (child.stdout ?? []) as AsyncIterable<Uint8Array>) {
    text += Buffer.from(chunk).toString();
    if (text.includes('\n')) break;
  }
  return {
    url: text.trim(),
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/** A run that succeeded has each part once. Each commit on the branch of a run is in its receipt. */
export function wrongCommits(
  { repository }: Pick<JobWorld, 'repository'>,
  { run_id: runId, status, commits: listed }: Pick<AgentRunReceipt, 'run_id' | 'status' | 'commits'>,
): readonly string[] {
  const branch = `truecast/runs/${runId}`;
  const git = (...args: readonly string[]): readonly string[] =>
    execFileSync('git', args, { cwd: repository, encoding: 'utf8' }).split('\n').slice(0, -1);
  if (git('branch', '--list', branch).length === 0) return listed.length === 0 ? [] : ['no branch'];
  const commits = git('rev-list', '--reverse', branch, '^main');
  const subjects = git('log', '--reverse', '--format=%s', branch, '^main');
  const isWhole = status !== 'succeeded' || subjects.join() === PARTS.join();
  return [
    ...(commits.join() === listed.join() ? [] : [`commits ${commits.join()}, receipt ${listed.join()}`]),
    ...(isWhole ? [] : [`the parts ${subjects.join()}`]),
  ];
}

/** Numbers of rows. */
export interface JobRows {
  /** Rows of runs. More than the created runs if a request was accepted twice. */
  readonly rows: number;
  readonly lostExecutions: number;
}

export async function countJobRows(databaseUrl: string): Promise<JobRows> {
  const store = await openStore({ url: databaseUrl });
  try {
    const rows = await store.db.selectFrom('agent_runs').select('id').execute();
    const executions = await store.db.selectFrom('agent_run_executions').select('ending').execute();
    return { rows: rows.length, lostExecutions: executions.filter(({ ending }) => ending === 'lost').length };
  } finally {
    await store.close();
  }
}
