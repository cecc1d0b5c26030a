/** Check of an agent's commit by a shell command, on a clean checkout of it. */
import { resolve } from 'node:path';
import type { AgentProvider } from '../../ports/agent-provider.ts';
import { openRepository, type Repository } from '../../git/repository/repository.ts';
import { completeTimeouts } from '../../run/options/place-options.ts';
import { verificationPlace } from '../../run/verify/verification-place.ts';
import { verifyTree } from '../../run/verify/verify-tree.ts';
import type { AgentPlace, AnswerCheck } from './contestant.ts';

/** Creates the check of an agent's answers. Without a commit, it checks the current one. */
export function commitCheck(agent: AgentProvider, { sandbox, cwd }: AgentPlace): AnswerCheck {
  const open = (signal?: AbortSignal): Promise<Repository> =>
    openRepository(resolve(cwd ?? process.cwd()), {
      timeoutMs: completeTimeouts(undefined).gitSetupMs,
      signal,
      isUnguarded: sandbox.tag === 'none',
    });
  // Before the agent works, which can change the configuration without a sandbox.
  const opened = open();
  // The check reports the failure.
  opened.catch(() => undefined);
  return async ({ command, stdin, result, signal, timeoutMs }) => {
    const { trustedConfig } = await opened;
    const repository = { ...(await open(signal)), trustedConfig };
    const opening = await verificationPlace({ repository, sandbox, agent });
    const { verdict } = await verifyTree({
      repository,
      commit: result.commits.at(-1)?.sha ?? repository.headSha,
      opening,
      signal,
      warn: () => undefined,
      async check({ exec }) {
        const timeout = AbortSignal.timeout(timeoutMs);
        try {
          const own = AbortSignal.any([signal, timeout]);
          const { exitCode } = await exec(command, { stdin, signal: own });
          return exitCode === 0 ? undefined : `it exited with ${exitCode}`;
        } catch (error) {
          signal.throwIfAborted();
          if (timeout.aborted) return `it did not end within ${timeoutMs} ms`;
          throw error;
        }
      },
    });
    return verdict === 'passed';
  };
}
