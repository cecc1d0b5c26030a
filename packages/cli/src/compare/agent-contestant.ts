/** Agents as contestants: each task is a batch of one item, on a branch in a sandbox. */
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import type { BatchResult } from 'truecast/internal/run/batch/batch-queue';
import { runBatch } from 'truecast/internal/run/batch/run-batch';
import { chooseAgent } from '../flags/choose-agent.ts';
import { loadOutput } from '../flags/load-output.ts';
import { withDefaultTag, withRetries } from '../flags/output-flags.ts';
import { addInstruction } from '../flags/read-prompt.ts';
import type { AgentPlace, ComparedTask, Contestant, AnswerCheck } from './contestant.ts';
import { resolve } from 'node:path';
import type { AgentProvider } from 'truecast/internal/ports/agent-provider';
import { openRepository, type Repository } from 'truecast/internal/git/repository/repository';
import { completeTimeouts } from 'truecast/internal/run/options/place-options';
import { verificationPlace } from 'truecast/internal/run/verify/verification-place';
import { verifyTree } from 'truecast/internal/run/verify/verify-tree';

const MODES: readonly (string | undefined)[] = [undefined, 'tag', 'native', 'mcp'];

/** Creates the contestant for an agent such as `claude-code:opus` and a mode. */
export async function agentContestant(
  reference: string,
  mode: string | undefined,
  task: ComparedTask,
  place: AgentPlace,
): Promise<Contestant> {
  if (!MODES.includes(mode)) {
    throw new UsageError(`Expected \`--mode\` of an agent to be tag, native or mcp, got \`${mode}\`.`);
  }
  const agent = chooseAgent(reference);
  const { template, timeout, ...answer } = task;
  const given = mode === undefined || mode === 'tag' ? {} : { mode };
  const flags = withRetries(withDefaultTag({ ...answer, ...given }), agent);
  const output = await loadOutput(flags);
  const prompt = await addInstruction({ prompt: template }, output, { isTemplate: true });
  const name = mode === undefined ? reference : `${reference} by ${mode}`;
  return {
    name,
    identity: JSON.stringify([name, flags.maxCorrections, timeout]),
    check: commitCheck(agent, place),
    async attempt({ item, signal, budget }) {
      const results: BatchResult[] = [];
      await runBatch({
        ...prompt,
        ...place,
        agent,
        agentId: reference,
        inputs: [item.input],
        concurrency: 1,
        name: 'compare',
        signal,
        ...(output !== undefined && { output }),
        ...(budget !== undefined && { budget }),
        ...(timeout !== undefined && { timeouts: { runMs: timeout * 1000 } }),
        onResult: (result) => void results.push(result),
      });
      const [result] = results;
      if (result === undefined) throw new UsageError('The batch of one item returned no result.');
      return { ...result, line: item.line };
    },
  };
}

/** Creates the check of an agent's answers. Without a commit, it checks the current one. */
function commitCheck(agent: AgentProvider, { sandbox, cwd }: AgentPlace): AnswerCheck {
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
