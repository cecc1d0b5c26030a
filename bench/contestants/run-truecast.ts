/** Contestant Truecast: our implementation of running a program as an agent, in one sandbox. */
import { StructuredOutputError } from '../../packages/core/src/errors/structured-output-error.ts';
import { Output } from '../../packages/core/src/output/output.ts';
import { command } from '../../packages/truecast/src/agents/command.ts';
import { run } from '../../packages/truecast/src/run/run.ts';
import { bubblewrap } from '../../packages/truecast/src/sandboxes/bubblewrap.ts';
import { noSandbox } from '../../packages/truecast/src/sandboxes/no-sandbox.ts';
import type { SandboxProvider } from '../../packages/truecast/src/ports/sandbox-provider.ts';
import { answerSchema } from '../inputs/answer-schema.ts';
import { PROMPT, type AgentRunner, type AgentRunOutcome, type AgentRunRequest } from './agent-run.ts';

/** Runs without a sandbox. */
export const runTruecast: AgentRunner = truecastIn(noSandbox());

/** Runs in bubblewrap, where the agent has its own git store. */
export const runTruecastInBubblewrap: AgentRunner = truecastIn(bubblewrap({ egress: 'host' }));

function truecastIn(sandbox: SandboxProvider): AgentRunner {
  return (request) => runIn(sandbox, request);
}

async function runIn(sandbox: SandboxProvider, request: AgentRunRequest): Promise<AgentRunOutcome> {
  try {
    const { output, commits } = await run({
      agent: command({ command: request.command }),
      sandbox,
      cwd: request.repository,
      prompt: PROMPT,
      branchStrategy:
        request.strategy === 'branch'
          ? { type: 'branch', branch: request.branch }
          : { type: request.strategy },
      output: Output.object({ tag: 'result', schema: answerSchema }),
    });
    return { answer: { answer: output.answer }, commits: commits.length };
  } catch (error) {
    if (!StructuredOutputError.isInstance(error)) throw error;
    return { answer: { code: error.code }, commits: 0 };
  }
}
