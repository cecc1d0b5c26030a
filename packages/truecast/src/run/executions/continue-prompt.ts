/** Prompt of an agent whose earlier process was stopped in the middle of its work. Pure. */

/** State in which an agent finds its worktree. */
export interface FoundWork {
  readonly branch: string | undefined;
  /** HEAD of the worktree. */
  readonly headSha: string;
  /** Commit before the first agent. */
  readonly commitsSince: string;
  readonly isDirty: boolean;
  /** Present if the earlier worktree was on a machine that is lost. `headSha`: a commit that is lost with it. */
  readonly moved?: { readonly headSha?: string | undefined } | undefined;
}

/**
 * Returns the prompt for the agent's own session, which already contains the task. `form` is how the
 * answer is to be sent, as the end of a sentence.
 */
export function resumePrompt(found: FoundWork, form: string | undefined): string {
  const end = form === undefined ? '' : ` Then ${form}.`;
  return `You were stopped before you had finished, and you are started again in the same session. ${describeFound(found)}${describeLost(found)} Continue with the task where you stopped.${end}`;
}

/** Returns the prompt for a new session. */
export function restartPrompt(prompt: string, found: FoundWork): string {
  return `${prompt}\n\nAnother process has begun this task before, and was stopped. ${describeFound(found)}`;
}

function describeLost({ moved, commitsSince }: FoundWork): string {
  if (moved === undefined) return '';
  const { headSha } = moved;
  const commits =
    headSha === undefined || headSha === commitsSince
      ? ''
      : ` So are the commits up to ${headSha.slice(0, 12)} that HEAD does not contain.`;
  return ` Your machine was lost, and this worktree is on another one. All changes that you had not committed are missing.${commits} Do what is missing again.`;
}

function describeFound({ branch, headSha, commitsSince, isDirty }: FoundWork): string {
  const commits =
    headSha === commitsSince
      ? 'No commit was made'
      : `Commits after ${commitsSince.slice(0, 12)} were made for this task, and HEAD is ${headSha.slice(0, 12)}`;
  const files = isDirty ? 'There are uncommitted changes' : 'There are no uncommitted changes';
  return `The worktree is on ${branch === undefined ? 'a detached HEAD' : `the branch ${branch}`}. ${commits}. ${files}. Check \`git status\` and \`git log\` before you continue, and repeat nothing that is done.`;
}
