/** Prompt, session and uncommitted work of a run that continues another one. */
import { importSession } from 'truecast/internal/agents/sessions/moved-session';
import { GIT_TIMEOUT_MS } from 'truecast/internal/git/command/git';
import { openRepository } from 'truecast/internal/git/repository/repository';
import { restoreWorktree } from 'truecast/internal/run/leftovers/restore-worktree';
import type { AgentProvider } from 'truecast/internal/ports/agent-provider';
import type { RunOptions } from 'truecast/internal/run/options/run-options';
import type { ClaimedRun, RunReport } from '../../runs/agent-executor.ts';
import { continuedPrompt } from '../../runs/continued-run.ts';
import { SESSION_BLOB, type RunBlob } from '../../runs/run-blob.ts';
import { tipOf, type RunRepository } from './take-over.ts';

/** Options of `run()` for a prompt in a session. */
export interface ContinuedOptions extends Pick<RunOptions, 'session'> {
  readonly prompt: string;
  /** For a session that is not on this machine. */
  readonly warning?: string;
}

/**
 * Returns the prompt in a copy of the session of the earlier run. So that session stays as it was, and an agent
 * that is killed starts again from it. Without the session, the prompt repeats the earlier ones.
 */
export async function openContinuation(
  { request, continued }: Pick<ClaimedRun, 'request' | 'continued'>,
  { sessionStorage, canFork, name }: AgentProvider,
): Promise<ContinuedOptions> {
  if (continued === undefined) return { prompt: request.prompt };
  const { sessionId } = continued;
  const found = sessionId === undefined ? undefined : (await sessionStorage?.findByIdOnHost(sessionId))?.path;
  const hasSession = sessionId !== undefined && found !== undefined;
  const prompt = continuedPrompt(request.prompt, continued, { hasSession });
  if (hasSession) return { prompt, session: { resume: sessionId, fork: canFork === true } };
  if (sessionId === undefined || sessionStorage === undefined) return { prompt };
  const warning = `The session \`${sessionId}\` of the agent \`${name}\` is not on this machine. The agent began a new one, with the earlier prompts.`;
  return { prompt, warning };
}

/**
 * Restores what this machine does not have of the run that this one continues: its agent's session, and its uncommitted
 * work in a worktree of the branch. Call it before the first execution.
 */
export async function restoreContinued(
  { path, commonDir }: Pick<RunRepository, 'path' | 'commonDir'>,
  agent: Pick<AgentProvider, 'sessionStorage'>,
  { claimed, report }: { readonly claimed: ClaimedRun; readonly report: RunReport },
): Promise<void> {
  const { continued, parentId, earlier } = claimed;
  if (continued === undefined || parentId === undefined || report.signal.aborted) return;
  if (earlier !== undefined && earlier.phase !== 'preparing') return;
  const problem = await restoreParts({ path, commonDir }, agent, { claimed, report }).catch(
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
  if (problem === undefined || report.signal.aborted) return;
  const message = `The uncommitted work of the run \`${parentId}\` could not be restored. Read its artifact \`${UNCOMMITTED}\`. ${problem}`;
  report.event({ type: 'warning', message });
}

/** Returns why the work could not be restored. Undefined if it was, and if there is none. */
async function restoreParts(
  { path, commonDir }: Pick<RunRepository, 'path' | 'commonDir'>,
  agent: Pick<AgentProvider, 'sessionStorage'>,
  {
    claimed: { continued, earlier, branch, request },
    report,
  }: { readonly claimed: ClaimedRun; readonly report: RunReport },
): Promise<string | undefined> {
  await restoreSession(agent, continued?.sessionId, () => report.readBlob(SESSION_BLOB, 'parent'));
  const patch = request.read_only === true ? undefined : await report.readBlob(UNCOMMITTED, 'parent');
  // A fork has another branch, without the uncommitted work.
  if (patch === undefined || (await tipOf({ path, commonDir }, branch)) === undefined) return undefined;
  const call = { timeoutMs: GIT_TIMEOUT_MS };
  const repository = await openRepository(path, call);
  const isAgain = earlier !== undefined;
  const problem = await restoreWorktree({ repository, branch, patch: patch.bytes, isAgain, ...call });
  return problem && `Git printed: ${problem}`;
}

const UNCOMMITTED = 'uncommitted.patch';

async function restoreSession(
  { sessionStorage }: Pick<AgentProvider, 'sessionStorage'>,
  sessionId: string | undefined,
  read: () => Promise<RunBlob | undefined>,
): Promise<void> {
  if (sessionId === undefined || sessionStorage === undefined) return;
  if ((await sessionStorage.findByIdOnHost(sessionId)).path !== undefined) return;
  const { source, bytes } = (await read()) ?? {};
  if (source === undefined || bytes === undefined) return;
  const session = { source, text: Buffer.from(bytes).toString('utf8') };
  // Without it, the prompt repeats the earlier prompts.
  await importSession(sessionStorage, sessionId, session).catch(() => false);
}
