/** Owns looking after git's folders for as long as a container lives: its mounts were made once, and a guest's daemon may outlive a command. */
import type { SandboxError } from '../../../errors/sandbox-error.ts';
import { inspectGitPaths, watchCommonDir } from '../inspect-git-paths.ts';
import type { WorktreeGitPaths } from '../sandbox-provider.ts';
import { watchReadonlyGitPaths } from '../watch-readonly-git-paths.ts';
import type { OpenContainer } from './open-container.ts';

/** What looks after one container. */
export interface ContainerGuard {
  /**
   * Runs a command, and looks after it for what it left.
   *
   * @throws SandboxError `escape-attempt`, or `exec` when the host took a read-only mount away; then the container has ended
   */
  run<T>(signal: AbortSignal, task: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** Ends the watch, with a last look at what the container left. @throws SandboxError `escape-attempt` */
  end(): Promise<void>;
}

/** Begins to look after a container. */
export function guardContainer(
  { knownLinks, stop }: OpenContainer,
  git: WorktreeGitPaths | undefined,
): ContainerGuard {
  if (git === undefined) return { run: (signal, task) => task(signal), end: () => Promise.resolve() };
  const lost = new AbortController();
  const onTrap = (error: SandboxError): void => {
    if (lost.signal.aborted) return;
    lost.abort(error);
    void stop();
  };
  const unwatch = [watchCommonDir(git, onTrap), watchReadonlyGitPaths(git, onTrap)];
  return {
    async run(signal, task) {
      lost.signal.throwIfAborted();
      try {
        return await task(AbortSignal.any([signal, lost.signal]));
      } finally {
        await inspectGitPaths(git, knownLinks);
      }
    },
    async end() {
      for (const one of unwatch) one();
      await inspectGitPaths(git, knownLinks);
    },
  };
}
