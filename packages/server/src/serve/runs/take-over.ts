/**
 * Takeover of a run whose last execution was elsewhere: gathers the facts of this machine, and prepares what
 * `run({ id })` needs to continue here.
 */
import { git } from 'truecast/internal/git/command/git';
import { readReferenceFile } from 'truecast/internal/git/recovered/start-marks';
import { importSession } from 'truecast/internal/agents/sessions/moved-session';
import type { AgentProvider } from 'truecast/internal/ports/agent-provider';
import type { SandboxProvider } from 'truecast/internal/ports/sandbox-provider';
import type { ExecutionRecord } from 'truecast/internal/run/executions/execution-record';
import { openExecutionStore } from 'truecast/internal/run/executions/execution-store';
import type { ClaimedRun, RunLoss, RunReport } from '../../runs/agent-executor.ts';
import { decideTakeover, type TakeoverFacts } from '../../runs/decide-takeover.ts';
import { SESSION_BLOB } from '../../runs/run-blob.ts';
import { placeOf, readStateBlob, STATE_BLOB, type StoredWork } from './stored-work.ts';

/** A repository on this machine. */
export interface RunRepository {
  readonly path: string;
  /** Folder of its checkout. */
  readonly topLevel: string;
  /** Folder of its references. */
  readonly commonDir: string;
  /** Folder in which `run()` stores the state of runs with an id. */
  readonly stateFolder: string;
}

export interface TakeoverParts extends Omit<RunRepository, 'topLevel'> {
  readonly agent: AgentProvider;
  readonly sandbox: SandboxProvider;
}

/** How an execution begins. */
export type TakenWork =
  | {
      readonly type: 'continue';
      readonly record: ExecutionRecord | undefined;
      readonly branch: string;
      readonly earlierBranches: readonly string[];
    }
  | { readonly type: 'lost'; readonly reason: RunLoss; readonly record: ExecutionRecord | undefined };

const GIT_TIMEOUT_MS = 60_000;

/** Prepares an execution. The first one of a run has nothing to take over. */
export async function takeOver(
  parts: TakeoverParts,
  claimed: ClaimedRun,
  report: Pick<RunReport, 'readBlob'>,
): Promise<TakenWork> {
  const { id, branch, earlier, request, execution } = claimed;
  const store = openExecutionStore(parts.stateFolder, id);
  const here = store.read();
  const stored = earlier && readStateBlob(await report.readBlob(STATE_BLOB));
  const isHere = here !== undefined && (stored === undefined || stored.place === placeOf(parts.stateFolder));
  const earlierBranches = stored?.earlierBranches ?? [];
  if (earlier === undefined || isHere) {
    return { type: 'continue', record: here, branch: here?.branch ?? branch, earlierBranches };
  }
  const known = stored?.record ?? here;
  if (request.read_only === true) return takeOverReading(parts, claimed, { stored, here });
  const { baseSha, tip, lostSha, commits } = await findWork(parts, known?.branch ?? branch, {
    baseSha: earlier.baseSha ?? known?.commitsSince,
    headSha: earlier.headSha,
  });
  const hasSession = earlier.phase === 'working' && (await restoreSession(parts.agent, known, report));
  const decision = decideTakeover({
    phase: earlier.phase,
    policy: request.on_worker_loss ?? 'auto',
    isHere,
    agentMayLive: mayOutliveWorker(stored?.sandbox ?? parts.sandbox.name),
    hasSession,
    commits,
    hasBase: baseSha !== undefined,
    isContained: stored?.isContained === true,
  });
  switch (decision.type) {
    case 'lost':
      return { ...decision, record: known };
    case 'start':
    case 'continue':
      return { type: 'continue', record: undefined, branch, earlierBranches };
    case 'finish':
    case 'resume': {
      const isResumed = decision.type === 'resume';
      const isComplete = isResumed || known?.phase === 'answered' || known?.phase === 'ended';
      if (known === undefined || baseSha === undefined || !isComplete) {
        return { type: 'lost', reason: 'no_tree', record: known };
      }
      const record = movedRecord(known, { baseSha, ...(isResumed && { lost: lostSha ?? '' }) });
      await createBranch(parts, record.branch ?? branch, tip ?? baseSha);
      store.write(record);
      return { type: 'continue', record, branch: record.branch ?? branch, earlierBranches };
    }
    case 'restart': {
      const next = `${branch}-${execution}`;
      await createBranch(parts, next, baseSha ?? '');
      // The record of an earlier execution on this machine would resume its session.
      store.write(newRecord(id, next, baseSha));
      const abandoned = [...earlierBranches, known?.branch ?? branch];
      return { type: 'continue', record: store.read(), branch: next, earlierBranches: abandoned };
    }
    default:
      return decision satisfies never;
  }
}

/** Of a read-only run, only an accepted answer is kept. Its agent begins again in another place. */
function takeOverReading(
  { sandbox, stateFolder }: TakeoverParts,
  { id, branch, earlier, request }: ClaimedRun,
  { stored, here }: { readonly stored: StoredWork | undefined; readonly here: ExecutionRecord | undefined },
): TakenWork {
  const known = stored?.record ?? here;
  const baseSha = known?.commitsSince;
  const decision = decideTakeover({
    phase: earlier?.phase ?? 'preparing',
    policy: request.on_worker_loss ?? 'auto',
    isHere: false,
    agentMayLive: mayOutliveWorker(stored?.sandbox ?? sandbox.name),
    hasSession: false,
    commits: 'none',
    hasBase: true,
    isContained: stored?.isContained === true,
  });
  if (decision.type === 'lost') return { ...decision, record: known };
  const begun = { type: 'continue', branch, earlierBranches: [] } as const;
  if (decision.type !== 'finish') return { ...begun, record: here };
  if (known?.answer === undefined || baseSha === undefined) {
    return { type: 'lost', reason: 'no_tree', record: known };
  }
  const record = movedRecord(known, { baseSha });
  openExecutionStore(stateFolder, id).write(record);
  return { ...begun, record };
}

/** Says if an agent can outlive its worker. In bubblewrap it dies with it; a container has its own parent. */
export function mayOutliveWorker(sandbox: string): boolean {
  return sandbox !== 'bubblewrap';
}

interface FoundWork {
  readonly baseSha: string | undefined;
  /** Tip of the run's branch here, or of its pushed copy. */
  readonly tip: string | undefined;
  readonly commits: TakeoverFacts['commits'];
  /** Last known commit, if it is not here. */
  readonly lostSha?: string;
}

async function findWork(
  { path }: TakeoverParts,
  branch: string,
  { baseSha, headSha }: { readonly baseSha: string | undefined; readonly headSha: string | undefined },
): Promise<FoundWork> {
  const base = await resolve(path, baseSha);
  const tip =
    (await resolve(path, `refs/heads/${branch}`)) ?? (await resolve(path, `refs/remotes/origin/${branch}`));
  if (headSha === undefined || headSha === base) return { baseSha: base, tip, commits: 'none' };
  const isHere = tip !== undefined && (await isAncestor(path, headSha, tip));
  if (isHere) return { baseSha: base, tip, commits: 'reachable' };
  return { baseSha: base, tip, commits: 'lost', lostSha: headSha };
}

async function resolve(cwd: string, name: string | undefined): Promise<string | undefined> {
  if (name === undefined) return undefined;
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`];
  const { exitCode, stdout } = await git(args, { cwd, timeoutMs: GIT_TIMEOUT_MS });
  return exitCode === 0 ? stdout.trim() : undefined;
}

/** Returns the tip of a branch. Undefined if it does not exist. Starts git only for a packed reference. */
export async function tipOf(
  { path, commonDir }: Pick<TakeoverParts, 'path' | 'commonDir'>,
  branch: string,
): Promise<string | undefined> {
  const name = `refs/heads/${branch}`;
  return readReferenceFile(commonDir, name) ?? (await resolve(path, name));
}

async function isAncestor(cwd: string, older: string, newer: string): Promise<boolean> {
  const args = ['merge-base', '--is-ancestor', older, newer];
  return (await git(args, { cwd, timeoutMs: GIT_TIMEOUT_MS })).exitCode === 0;
}

/** Does nothing if the branch exists. */
async function createBranch({ path }: TakeoverParts, branch: string, tip: string): Promise<void> {
  await git(['update-ref', `refs/heads/${branch}`, tip, ''], { cwd: path, timeoutMs: GIT_TIMEOUT_MS });
}

/** Returns true if the agent's session is on this host now. */
async function restoreSession(
  { sessionStorage }: AgentProvider,
  known: ExecutionRecord | undefined,
  report: Pick<RunReport, 'readBlob'>,
): Promise<boolean> {
  const { source, bytes } = (await report.readBlob(SESSION_BLOB)) ?? {};
  if (known?.sessionId === undefined || source === undefined || bytes === undefined) return false;
  const text = Buffer.from(bytes).toString('utf8');
  return importSession(sessionStorage, known.sessionId, { source, text }).catch(() => false);
}

/** The record without the paths of its machine. `lost`: last known commit that is not here, or an empty text. */
function movedRecord(
  { worktreePath: _worktree, hostHomePath: _home, ...record }: ExecutionRecord,
  { baseSha, lost }: { readonly baseSha: string; readonly lost?: string },
): ExecutionRecord {
  const moved = lost === undefined ? undefined : { ...(lost !== '' && { headSha: lost }) };
  return { ...record, asked: {}, commitsSince: baseSha, isOwnWorktree: true, moved };
}

function newRecord(id: string, branch: string, baseSha: string | undefined): ExecutionRecord {
  const own = { isNewBranch: true, isOwnWorktree: true };
  return {
    version: 1,
    id,
    asked: {},
    phase: 'opened',
    executions: 0,
    iterations: [],
    branch,
    commitsSince: baseSha,
    ...own,
  };
}
