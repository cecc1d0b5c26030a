/** Owns looking after git's folders while a guest's command runs, and after it. */
import type { SandboxError } from '../../errors/sandbox-error.ts';
import { inspectGitPaths, watchCommonDir } from './inspect-git-paths.ts';
import type { WorktreeGitPaths } from './sandbox-provider.ts';
import { watchReadonlyGitPaths } from './watch-readonly-git-paths.ts';

/**
 * Runs a command of a guest's; what it does to git's folders that would lead the host's git elsewhere ends it.
 *
 * @throws SandboxError `escape-attempt`
 */
export async function guardGitPaths<T>(
  git: WorktreeGitPaths | undefined,
  knownLinks: ReadonlySet<string>,
  signal: AbortSignal,
  task: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  if (git === undefined) return task(signal);
  const trapped = new AbortController();
  const onTrap = (error: SandboxError): void => trapped.abort(error);
  const unwatch = [watchCommonDir(git, onTrap), watchReadonlyGitPaths(git, onTrap)];
  try {
    return await task(AbortSignal.any([signal, trapped.signal]));
  } finally {
    for (const end of unwatch) end();
    await inspectGitPaths(git, knownLinks);
  }
}
