import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { APICallError, generateText, NoObjectGeneratedError, Output, RetryError, type ModelMessage } from 'ai';
import { z } from 'zod';

export interface World {
  readonly cwd: string;
  readonly repos?: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly modelUrl: string;
  readonly model: string;
  readonly apiKey: string;
  readonly input?: unknown;
}

const DEFAULT_LIMIT_MS = 30 * 60_000;
const MAX_OUTPUT = 16 * 1024 * 1024;
const MAX_ASKS = 3;

/** The time by which agents and checks must be through: the rest of `input.limitMs` is for merging and cleaning up. */
export function deadlineOf(world: World): number {
  const { limitMs } = z.object({ limitMs: z.number().positive().default(DEFAULT_LIMIT_MS) }).parse(world.input ?? {});
  return Date.now() + limitMs - Math.min(limitMs * 0.4, 12_000);
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

// ---------------------------------------------------------------- secrets

const SECRET_NAME = /key|token|secret|passw|credential/i;
const SECRET_SHAPE =
  /\b(?:sk-[\w-]{12,}|gh[pousr]_\w{16,}|github_pat_\w{16,}|glpat-[\w-]{16,}|npm_\w{20,}|xox[abprs]-[\w-]{10,}|A[KS]IA[0-9A-Z]{12,}|eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]+)|(?<=(?:KEY|TOKEN|SECRET|PASSWORD)=)[^\s"'\\]{6,}|-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g;

/** Printed text may reach logs, errors and results only through this. */
export function redact(world: World, text: string): string {
  const known = [...Object.entries(process.env), ...Object.entries(world.env)]
    .filter(([name, value]) => SECRET_NAME.test(name) && value !== undefined && value.length >= 8 && !value.startsWith('/'))
    .map(([, value]) => value as string);
  if (world.apiKey.length >= 8) known.push(world.apiKey);
  return known.reduce((rest, secret) => rest.replaceAll(secret, '[redacted]'), text).replace(SECRET_SHAPE, '[redacted]');
}

// ---------------------------------------------------------------- processes

export interface Ran {
  code: number | null;
  stdout: string;
  stderr: string;
  timedOut: boolean;
}

const running = new Set<number>();
function killGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // the group is gone
  }
}
process.on('exit', () => running.forEach((pid) => killGroup(pid, 'SIGKILL')));
for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)
  process.once(signal, () => process.exit(code));

/** Runs a command in its own process group, so that nothing that it started outlives it. */
function run(
  command: string,
  args: readonly string[],
  options: { cwd: string; env: NodeJS.ProcessEnv; input?: string; timeoutMs: number; onStart?: (pid: number) => void },
): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: options.cwd, env: options.env, detached: true, stdio: 'pipe' });
    const ran: Ran = { code: null, stdout: '', stderr: '', timedOut: false };
    const timers: NodeJS.Timeout[] = [];
    const { pid } = child;
    child.on('error', (error) => {
      timers.forEach(clearTimeout);
      reject(new Error(`cannot run ${command}: ${error.message}`, { cause: error }));
    });
    if (pid === undefined) return;
    running.add(pid);
    options.onStart?.(pid);
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8').on('data', (chunk: string) => {
        ran[name] = (ran[name] + chunk).slice(-MAX_OUTPUT);
      });
    }
    child.stdin.on('error', () => {}); // it may end without reading its input
    child.stdin.end(options.input ?? '');
    timers.push(
      setTimeout(
        () => {
          ran.timedOut = true;
          killGroup(pid, 'SIGTERM');
          timers.push(setTimeout(() => killGroup(pid, 'SIGKILL'), 300));
        },
        Math.max(0, options.timeoutMs),
      ),
    );
    // Something that it left behind may still hold its pipes open.
    child.on('exit', () => timers.push(setTimeout(() => killGroup(pid, 'SIGKILL'), 300)));
    child.on('close', (code) => {
      timers.forEach(clearTimeout);
      killGroup(pid, 'SIGKILL');
      running.delete(pid);
      resolve({ ...ran, code });
    });
  });
}

function cleanEnv(world?: World): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = { ...process.env, ...world?.env };
  for (const name of ['GIT_DIR', 'GIT_WORK_TREE', 'GIT_INDEX_FILE']) delete env[name];
  return env;
}

/** A check or a test: exit 0 within the time is green, everything else is red. */
async function check(world: World, command: Command, dir: string, timeoutMs: number): Promise<{ green: boolean; log: string }> {
  const [file, ...args] = typeof command === 'string' ? ['sh', '-c', command] : command;
  const ran = await run(file!, args, { cwd: dir, env: cleanEnv(world), timeoutMs });
  const log = redact(world, `${ran.stdout}\n${ran.stderr}`).trim().slice(-8000);
  return { green: ran.code === 0 && !ran.timedOut, log: ran.timedOut ? `${log}\n(did not end within ${Math.round(timeoutMs)} ms)` : log };
}
export const commandSchema = z.union([z.string().min(1), z.array(z.string()).min(1)]);
export type Command = z.infer<typeof commandSchema>;

/** Runs `work` for each item, at most `limit` at a time; one that fails does not stop the others. */
export async function pool<I, O>(items: readonly I[], limit: number, work: (item: I) => Promise<O>): Promise<PromiseSettledResult<O>[]> {
  const results: PromiseSettledResult<O>[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < items.length) {
      const at = next++;
      results[at] = (await Promise.allSettled([work(items[at]!)]))[0];
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
  return results;
}

let queue: Promise<unknown> = Promise.resolve();
/** Git takes locks in a repository: what changes refs and worktrees is done one after the other. */
export function serial<T>(work: () => Promise<T>): Promise<T> {
  const result = queue.then(work);
  queue = result.catch(() => {});
  return result;
}

// ---------------------------------------------------------------- answers

export type Parsed<T> = { ok: true; value: T } | { ok: false; reason: string };

function endOfObject(text: string, start: number): number {
  let depth = 0;
  let inString = false;
  for (let i = start; i < text.length; i++) {
    const c = text[i];
    if (inString) {
      if (c === '\\') i++;
      else if (c === '"') inString = false;
    } else if (c === '"') inString = true;
    else if (c === '{') depth++;
    else if (c === '}' && --depth === 0) return i + 1;
  }
  return -1;
}

function parseLoose(json: string): unknown {
  return JSON.parse(json.replace(/("(?:[^"\\]|\\.)*")|,(\s*[}\]])/g, (_, text?: string, end?: string) => text ?? end!));
}

/** Finds the one JSON object in a text; prose and fences around it are fine, a second and different object is not. */
function parseAnswer<T>(text: string, schema: z.ZodType<T>): Parsed<T> {
  const found: unknown[] = [];
  for (let at = text.indexOf('{'); at !== -1;) {
    const end = endOfObject(text, at);
    const isJson = /^\{\s*["}]/.test(text.slice(at, at + 200));
    if (isJson && end === -1) return { ok: false, reason: 'The JSON object is cut off: it has no end.' };
    let next = at + 1;
    if (isJson) {
      next = end;
      try {
        const value = parseLoose(text.slice(at, end));
        if (!found.some((other) => isDeepStrictEqual(other, value))) found.push(value);
      } catch (error) {
        return { ok: false, reason: `The JSON is broken: ${messageOf(error)}.` };
      }
    }
    at = text.indexOf('{', next);
  }
  if (found.length === 0) return { ok: false, reason: 'There is no JSON object in the answer.' };
  if (found.length > 1)
    return { ok: false, reason: `There are ${found.length} different JSON objects in the answer; exactly one is wanted.` };
  const result = schema.safeParse(found[0]);
  return result.success ? { ok: true, value: result.data } : { ok: false, reason: z.prettifyError(result.error) };
}

// ---------------------------------------------------------------- the model

export async function askModel<T>(world: World, options: { schema: z.ZodType<T>; prompt: string; deadline: number }): Promise<T> {
  const provider = createOpenAICompatible({
    name: 'model',
    baseURL: world.modelUrl,
    apiKey: world.apiKey,
    supportsStructuredOutputs: true,
  });
  const messages: ModelMessage[] = [{ role: 'user', content: options.prompt }];
  let reason = '';
  for (let ask = 1; ask <= MAX_ASKS; ask++) {
    let text: string | undefined;
    try {
      const result = await generateText({
        model: provider(world.model),
        output: Output.object({ schema: options.schema }),
        messages,
        maxRetries: 3, // obeys retry-after
        abortSignal: AbortSignal.timeout(Math.max(1, options.deadline - Date.now())),
      });
      if (result.finishReason === 'stop') return result.output;
      reason = `The answer ended early (${result.finishReason}). Be shorter.`;
    } catch (error) {
      if (NoObjectGeneratedError.isInstance(error)) {
        text = error.text;
        if (error.finishReason !== 'stop') reason = `The answer ended early (${error.finishReason}). Be shorter.`;
        else {
          const parsed = parseAnswer(text ?? '', options.schema);
          if (parsed.ok) return parsed.value;
          reason = parsed.reason;
        }
      } else if (isBrokenReply(error)) {
        reason = messageOf(error);
        continue; // nothing to correct: ask the same again
      } else {
        throw new Error(redact(world, `the model ${world.model} failed: ${messageOf(error)}`), { cause: error });
      }
    }
    if (text) messages.push({ role: 'assistant', content: text });
    messages.push({
      role: 'user',
      content: `That answer cannot be used: ${reason}\nAnswer again with exactly one JSON object that fits the schema.`,
    });
  }
  throw new Error(redact(world, `the model ${world.model} gave no usable answer in ${MAX_ASKS} tries; the last problem: ${reason}`));
}

/** A reply that broke off or is no JSON, which the SDK does not retry itself. */
function isBrokenReply(error: unknown): boolean {
  if (RetryError.isInstance(error)) return false;
  if (APICallError.isInstance(error)) return error.statusCode === undefined || error.statusCode < 400;
  return error instanceof TypeError || /terminated|socket|ECONNRESET|aborted by peer/i.test(messageOf(error));
}

// ---------------------------------------------------------------- the coding agent

const cliResult = z.object({
  result: z.string(),
  session_id: z.string().optional(),
  is_error: z.boolean().default(false),
  api_error_status: z.number().nullish(),
  stop_reason: z.string().nullish(),
});
const SERVICE_FAULT = /\b(?:429|5\d\d)\b|rate.?limit|overloaded|timed? ?out|connection|ECONN\w*|socket|network|terminated|output token/i;

/** The service failed and not the agent: it is worth another try. */
const isServiceFault = ({ is_error, api_error_status: status, result }: z.infer<typeof cliResult>): boolean =>
  is_error && (status ? status === 408 || status === 429 || status >= 500 : SERVICE_FAULT.test(result));

function parseCli(stdout: string): z.infer<typeof cliResult> | undefined {
  for (const text of [stdout, ...stdout.trim().split('\n').reverse()]) {
    try {
      const parsed = cliResult.safeParse(JSON.parse(text));
      if (parsed.success) return parsed.data;
    } catch {
      // not this line
    }
  }
  return undefined;
}

export interface Agent {
  /** One turn in the session; returns the agent's last words. */
  tell(prompt: string): Promise<string>;
  /** One turn that ends with a value; a wrong one is given back with the reason. */
  ask<T>(prompt: string, schema: z.ZodType<T>): Promise<T>;
}

/** An agent session in `dir`. `untouched` says whether a run that broke may be started again from nothing. */
export function agentIn(world: World, dir: string, options: { deadline: number; untouched: () => Promise<boolean> }): Agent {
  let session: string | undefined;

  const tell = async (prompt: string): Promise<string> => {
    let text = prompt;
    for (let attempt = 1; ; attempt++) {
      const args = [
        '-p',
        '--output-format',
        'json',
        '--dangerously-skip-permissions',
        ...(session === undefined ? [] : ['--resume', session]),
      ];
      const { HOME, USER, LANG, TMPDIR } = process.env; // the agent gets no other secrets than its own
      const timeoutMs = options.deadline - Date.now();
      if (timeoutMs <= 0) throw new Error('no time is left for an agent run');
      const ran = await run('claude', args, {
        cwd: dir,
        env: { HOME, USER, LANG, TMPDIR, ...world.env },
        input: text,
        timeoutMs,
        onStart: (pid) => writeFileSync(pidFile(dir), String(pid)),
      });
      if (ran.timedOut) throw new Error(`claude did not end within ${Math.round(timeoutMs)} ms and was stopped`);
      const reply = parseCli(ran.stdout);
      const wasCut = reply?.stop_reason === 'max_tokens';
      if (ran.code === 0 && reply !== undefined && !reply.is_error && !wasCut) {
        session = reply.session_id ?? session;
        return redact(world, reply.result);
      }

      const said = redact(world, (reply?.result ?? (ran.stderr.trim() || ran.stdout.trim())).slice(-500)) || '(no output)';
      const problem =
        ran.code !== 0
          ? `claude ended with exit code ${ran.code}`
          : wasCut
            ? 'its reply was cut'
            : reply
              ? 'claude reported an error'
              : 'claude printed no result';
      if (attempt === MAX_ASKS) throw new Error(`${problem}: ${said}`);
      if (wasCut && reply.session_id !== undefined) {
        session = reply.session_id;
        text =
          'Your last reply was cut at its token limit. Finish the task if it is not finished, then give your final answer again, whole and short.' +
          `\n\nThe task was:\n\n${prompt}`;
      } else if (await options.untouched()) {
        text = prompt; // the turn has done nothing yet: start it again
      } else if (reply?.session_id !== undefined && isServiceFault(reply)) {
        session = reply.session_id;
        text = `The service broke off (${said}). Continue where you stopped; what is committed stays. The task was:\n\n${prompt}`;
      } else {
        throw new Error(`${problem}: ${said}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 250 * attempt));
    }
  };

  const ask = async <T>(prompt: string, schema: z.ZodType<T>): Promise<T> => {
    const shape = `exactly one JSON object that fits this JSON Schema:\n${JSON.stringify(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }))}`;
    let text = `${prompt}\n\nEnd your answer with ${shape}`;
    for (let turn = 1; ; turn++) {
      const parsed = parseAnswer(await tell(text), schema);
      if (parsed.ok) return parsed.value;
      if (turn === MAX_ASKS) throw new Error(`the agent gave no usable answer in ${MAX_ASKS} turns; the last problem: ${parsed.reason}`);
      if (session === undefined) throw new Error(`the agent's answer is unusable and it has no session to resume: ${parsed.reason}`);
      text = `Your answer cannot be used: ${parsed.reason}\nDo not change any files. Answer again, with ${shape}`;
    }
  };
  return { tell, ask };
}

// ---------------------------------------------------------------- git

const IDENTITY = ['-c', 'user.name=agent-jobs', '-c', 'user.email=agent-jobs@localhost'];

async function gitRun(dir: string, ...args: string[]): Promise<Ran> {
  return await run('git', ['-c', 'core.quotepath=off', ...args], { cwd: dir, env: { ...cleanEnv(), LC_ALL: 'C' }, timeoutMs: 120_000 });
}

export async function git(dir: string, ...args: string[]): Promise<string> {
  const ran = await gitRun(dir, ...args);
  if (ran.code !== 0 || ran.timedOut) throw new Error(`git ${args.join(' ')} failed: ${(ran.stderr || ran.stdout).trim().slice(-500)}`);
  return ran.stdout.trimEnd();
}

const isAncestor = async (dir: string, old: string, young: string): Promise<boolean> =>
  (await gitRun(dir, 'merge-base', '--is-ancestor', old, young)).code === 0;
export const revision = (dir: string, name: string): Promise<string> => git(dir, 'rev-parse', '--verify', '--quiet', `${name}^{commit}`);
/** The branch that a checkout is on, and its uncommitted changes. */
async function stateOf(dir: string): Promise<{ head: string; dirty: string }> {
  const [first = '', ...rest] = lines(await git(dir, 'status', '--porcelain', '--branch'));
  const name = first.slice(3).split('...')[0]!;
  return { head: name === 'HEAD (no branch)' ? '(detached)' : name, dirty: rest.join('\n').slice(0, 2000) };
}
export const lines = (text: string): string[] => text.split('\n').filter((line) => line !== '');

/** The user's checkout must be on a clean `main`, at the start and whenever something lands. */
export async function assertClean(repo: string): Promise<void> {
  const { head, dirty } = await stateOf(repo);
  if (head !== 'main') throw new Error(`${repo} is on ${head}, not on main`);
  if (dirty !== '') throw new Error(`${repo} has uncommitted changes:\n${dirty}`);
}

// Temporary folders are called glue-<kind>-<pid>-…, so that a later start finds those of a killed one.
const TEMP_NAME = /^glue-(tree|check|copy)-(\d+)-/;
export const tempDir = async (kind: 'tree' | 'check' | 'copy'): Promise<string> =>
  await mkdtemp(join(await realpath(tmpdir()), `glue-${kind}-${process.pid}-`));
export async function removeDir(dir: string): Promise<void> {
  await rm(dir, { recursive: true, force: true, maxRetries: 3 });
  await rm(pidFile(dir), { force: true });
}

// The agent that works in a temporary folder has its process id beside it: it outlives a program that is killed.
const pidFile = (dir: string): string => `${dir}.pid`;
async function stopOrphan(dir: string): Promise<void> {
  const pid = Number(await readFile(pidFile(dir), 'utf8').catch(() => ''));
  const commandLine = pid > 1 ? await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '') : '';
  if (commandLine.includes('claude')) killGroup(pid, 'SIGKILL'); // else it has ended, and the number may be another program's now
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Clears away copies that a killed program left. */
export async function sweepCopies(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const [, kind, pid] = TEMP_NAME.exec(name) ?? [];
    if (kind !== 'copy' || name.endsWith('.pid') || isAlive(Number(pid))) continue;
    const dir = join(await realpath(tmpdir()), name);
    await stopOrphan(dir);
    await removeDir(dir);
  }
}

/** Clears away worktrees and branches that a killed program left; the agent's work stays on a branch. */
export async function sweepTrees(repo: string): Promise<void> {
  await git(repo, 'worktree', 'prune');
  for (const line of lines(await git(repo, 'worktree', 'list', '--porcelain'))) {
    const dir = line.startsWith('worktree ') ? line.slice(9) : '';
    const [, kind, pid] = TEMP_NAME.exec(basename(dir)) ?? [];
    if (pid === undefined || isAlive(Number(pid))) continue;
    await stopOrphan(dir);
    if (kind === 'tree') await removeTree(repo, dir, (await stateOf(dir)).head);
    else await dropTree(repo, dir);
  }
  for (const branch of lines(await git(repo, 'for-each-ref', '--format=%(refname:short)', 'refs/heads/agent/'))) {
    const pid = Number(/^agent\/(\d+)-/.exec(branch)?.[1] ?? process.pid);
    if (!isAlive(pid) && (await isAncestor(repo, branch, 'main'))) await deleteBranch(repo, branch);
  }
}

export interface Tree {
  readonly repo: string;
  readonly dir: string;
  readonly branch: string;
  readonly base: string;
}

// Not `git branch -D`: that rewrites the configuration, whose lock parallel jobs would fight for.
export const deleteBranch = (repo: string, branch: string): Promise<string> => git(repo, 'update-ref', '-d', `refs/heads/${branch}`);

/** Removes a worktree; work in it that is not committed, or on no branch, is put on a branch first. */
async function removeTree(repo: string, dir: string, branch: string): Promise<void> {
  const { head, dirty } = await stateOf(dir);
  if (dirty !== '' || head !== branch) {
    let tip = await revision(dir, 'HEAD');
    if (dirty !== '') {
      await git(dir, 'add', '-A');
      tip = await git(dir, ...IDENTITY, 'commit-tree', await git(dir, 'write-tree'), '-p', tip, '-m', 'WIP: left uncommitted by the agent');
    }
    if (head === branch && branch.startsWith('agent/')) await git(repo, 'update-ref', `refs/heads/${branch}`, tip);
    else if ((await git(repo, 'for-each-ref', '--contains', tip, 'refs/heads')) === '')
      await git(repo, 'update-ref', `refs/heads/agent/${process.pid}-stray-${tip.slice(0, 8)}`, tip);
  }
  await dropTree(repo, dir);
}

async function dropTree(repo: string, dir: string): Promise<void> {
  const removed = await gitRun(repo, 'worktree', 'remove', '--force', '--force', dir);
  await removeDir(dir);
  if (removed.code !== 0) await git(repo, 'worktree', 'prune');
}

export type Check = (commit: string, timeoutMs: number) => Promise<{ green: boolean; log: string }>;

/** Gives `work` a check of single commits: the command runs on exactly the files of the commit, away from every checkout. */
export async function withCheck<T>(world: World, command: Command, work: (check: Check) => Promise<T>): Promise<T> {
  const dir = await tempDir('check');
  try {
    await serial(() => git(world.cwd, 'worktree', 'add', '--quiet', '--detach', dir, 'main'));
    return await work(async (commit, timeoutMs) => {
      await git(dir, 'checkout', '--quiet', '--force', '--detach', commit);
      await git(dir, 'clean', '-ffdxq');
      return await check(world, command, dir, timeoutMs);
    });
  } finally {
    await serial(() => dropTree(world.cwd, dir));
  }
}

let counter = 0;

/**
 * Runs `work` on a new branch of `main` in a new worktree. Afterwards the worktree is gone; the branch is kept
 * exactly when it has commits that `main` has not, so a failure loses nothing.
 */
export async function onBranch<T>(repo: string, label: string, work: (tree: Tree) => Promise<T>): Promise<T> {
  const tree = await serial(async (): Promise<Tree> => {
    const name =
      label
        .replace(/[^\w-]+/g, '-')
        .replace(/^-+|-+$/g, '')
        .slice(0, 40) || 'task';
    const branch = `agent/${process.pid}-${Date.now().toString(36)}-${counter++}/${name}`;
    const base = await revision(repo, 'main');
    const dir = await tempDir('tree');
    await git(repo, 'worktree', 'add', '--quiet', '-b', branch, dir, base);
    return { repo, dir, branch, base };
  });
  const close = (): Promise<boolean> =>
    serial(async () => {
      await removeTree(repo, tree.dir, tree.branch);
      const keep = !(await isAncestor(repo, tree.branch, 'main'));
      if (!keep && (await gitRun(repo, 'show-ref', '--verify', '--quiet', `refs/heads/${tree.branch}`)).code === 0)
        await deleteBranch(repo, tree.branch);
      return keep;
    });
  let value: T;
  try {
    value = await work(tree);
  } catch (error) {
    const kept = await close().catch((problem: unknown) => `; cleaning up failed: ${messageOf(problem)}`);
    const note = typeof kept === 'string' ? kept : kept ? ` (the work so far is kept on the branch ${tree.branch})` : '';
    throw new Error(`${label}: ${messageOf(error)}${note}`, { cause: error });
  }
  await close();
  return value;
}

/** An agent in a worktree. */
export const agentOn = (world: World, tree: Tree, deadline: number): Agent =>
  agentIn(world, tree.dir, {
    deadline,
    untouched: async () => {
      const { head, dirty } = await stateOf(tree.dir);
      return head === tree.branch && dirty === '' && (await revision(tree.dir, 'HEAD')) === tree.base;
    },
  });

/** The files that the agent's commits change since `base`. Fails when it went astray or leaves work uncommitted. */
export async function committed(tree: Tree, agent: Agent): Promise<string[]> {
  const uncommitted = async (): Promise<string> => {
    const { head, dirty } = await stateOf(tree.dir);
    if (head !== tree.branch)
      throw new Error(`the agent moved from its branch ${tree.branch} to ${head}; what it did there is left as it is`);
    return dirty;
  };
  const dirty = await uncommitted();
  if (dirty !== '') {
    await agent.tell(`You left changes uncommitted:\n${dirty}\nCommit what belongs to the task, on this branch, and discard the rest.`);
    const still = await uncommitted();
    if (still !== '') throw new Error(`the agent left uncommitted work:\n${still}`);
  }
  if (!(await isAncestor(tree.dir, tree.base, 'HEAD'))) throw new Error(`the agent rewrote the history of ${tree.branch}`);
  return lines(await git(tree.dir, 'diff', '--no-renames', '--name-only', tree.base, 'HEAD'));
}

export class MergeConflict extends Error {}

/** The commit that has both `main` and `branch`, made without touching any checkout. */
export async function mergeCommit(repo: string, commit: string, branch: string): Promise<string> {
  const [main, tip] = lines(await git(repo, 'rev-parse', 'main^{commit}', `${commit}^{commit}`)) as [string, string];
  const base = (await gitRun(repo, 'merge-base', main, tip)).stdout.trim();
  if (base === tip) return main;
  if (base === main) return tip;
  const merged = await gitRun(repo, 'merge-tree', '--write-tree', '--name-only', '--no-messages', main, tip);
  const [tree, ...conflicts] = lines(merged.stdout);
  if (merged.code === 1) throw new MergeConflict(`${branch} conflicts with main in ${conflicts.join(', ')}`);
  if (merged.code !== 0 || tree === undefined) throw new Error(`git merge-tree failed: ${merged.stderr.slice(-500)}`);
  return await git(repo, ...IDENTITY, 'commit-tree', tree, '-p', main, '-p', tip, '-m', `Merge branch '${branch}'`);
}

/** Moves `main` and the user's checkout of it forward to `commit`. */
export async function advance(repo: string, commit: string): Promise<void> {
  await assertClean(repo);
  await git(repo, 'merge', '--ff-only', '--quiet', commit);
}

/** Merges an agent's branch into `main` and deletes it; a branch that conflicts stays. */
export const land = (repo: string, branch: string): Promise<void> =>
  serial(async () => {
    await advance(repo, await mergeCommit(repo, `refs/heads/${branch}`, branch));
    await deleteBranch(repo, branch);
  });
