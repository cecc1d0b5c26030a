/**
 * Verification of a valid answer: its check must also pass on the commit that lands. The agent's
 * worktree can contain what no commit has.
 */
import { cut } from '@truecast/core/internal/kit/describe-value';
import { StructuredOutputError } from '@truecast/core/internal/errors/structured-output-error';
import type { AnyOutputDefinition } from '@truecast/core/internal/output/definition/definition';
import type { SafeExtractResult } from '@truecast/core/internal/output/definition/provenance';
import { checkAnswer } from '@truecast/core/internal/output/validate/check-answer';
import { findMissingWork, readFinalCommit, type MissingWork } from '../../git/landing/final-commit.ts';
import { verifyWithWarnings } from '../../git/worktree/verify.ts';
import type { WorkingContext } from '../context/run-context.ts';
import { verifyTree, type TreeVerdict } from './verify-tree.ts';

/** An answer that its schema and its check in the worktree accepted. */
export type CheckedAnswer = SafeExtractResult<unknown> & { readonly success: true };

/**
 * Runs the check on the agent's final commit. Returns the answer with the verdict, or an error that
 * names what is not committed.
 *
 * @throws RepositoryError, SandboxError if the commit could not be verified; the signal's reason
 */
export async function verifyAnswer(
  context: WorkingContext,
  output: AnyOutputDefinition,
  answer: CheckedAnswer,
): Promise<SafeExtractResult<unknown>> {
  const { workspace, options, stop, warn } = context;
  const call = { timeoutMs: options.timeouts.commitCollectionMs, signal: stop.signal };
  // Before any git call: the agent can have written for git on the host.
  await verifyWithWarnings(workspace.snapshot, { ...call, warn });
  const commit = await readFinalCommit(workspace.worktree, call);
  const { reason, ...check } = await verifyCommit(context, output, { answer, commit });
  if (reason === undefined) return { ...answer, provenance: { ...answer.provenance, check } };
  // A help for the agent: git can fail on what the agent left, and the check's message is enough.
  const missing = await findMissingWork(workspace.worktree, commit, call).catch(() => undefined);
  stop.signal.throwIfAborted();
  const issues = [reason, ...(missing === undefined ? [] : describeMissing(missing))].map((message) => ({
    path: [],
    message,
  }));
  const said = issues.map(({ message }) => cut(message)).join(' ');
  const text = `The check passed in the worktree, but not on a clean checkout of the final commit ${commit.slice(0, 12)}: ${said} Only commits land, so nothing was merged or published.`;
  const rawMatched = answer.provenance.raw;
  const shared = { code: 'check-failed', tag: output.tag, issues, cause: issues, rawMatched } as const;
  return { success: false, error: new StructuredOutputError(text, shared) };
}

/** Emits a warning unless the start of the run's own sandbox has emitted the same. */
export function firstWarning({
  progress,
  mask,
  warn,
}: Pick<WorkingContext, 'progress' | 'mask' | 'warn'>): (message: string) => void {
  return (message) => void (progress.warnings.includes(mask.mask(message)) || warn(message));
}

/** Runs the check of an accepted answer on a commit. */
export async function verifyCommit(
  context: Pick<WorkingContext, 'workspace' | 'stop' | 'progress' | 'mask' | 'warn'>,
  output: AnyOutputDefinition,
  { answer, commit }: { readonly answer: CheckedAnswer; readonly commit: string },
): Promise<TreeVerdict> {
  const { workspace, stop } = context;
  const { repository, preparation } = workspace.worktree;
  return verifyTree({
    repository,
    commit,
    opening: workspace.opening,
    preparation,
    signal: stop.signal,
    warn: firstWarning(context),
    async check(inside) {
      const checked = await checkAnswer(answer, output, inside);
      if (checked.success) return undefined;
      // A check that throws here did not throw in the worktree, so the commit lacks something.
      return checked.error.issues[0]?.message ?? checked.error.message;
    },
  });
}

function describeMissing({ changed, hidden, head }: MissingWork): string[] {
  const list = (paths: readonly string[]): string => paths.map((path) => `\`${cut(path)}\``).join(', ');
  return [
    ...(changed.length === 0 ? [] : [`Not committed: ${list(changed)}.`]),
    ...(hidden.length === 0 ? [] : [`Hidden from git by \`--assume-unchanged\`: ${list(hidden)}.`]),
    ...(head === undefined ? [] : [`HEAD is at ${head}, which is not the tip of the branch.`]),
  ];
}
