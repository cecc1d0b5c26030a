/** Owns our side of running a program as an agent. */
import { StructuredOutputError } from '../../src/errors/structured-output-error.ts';
import { Output } from '../../src/output/output.ts';
import { command } from '../../src/run/agents/command.ts';
import { run } from '../../src/run/run.ts';
import { noSandbox } from '../../src/run/sandboxes/no-sandbox.ts';
import { answerSchema } from '../inputs/answer-schema.ts';
import { PROMPT, type AgentRunner } from './agent-run.ts';

export const runTruecast: AgentRunner = async (request) => {
  try {
    const { output, commits } = await run({
      agent: command({ command: request.command }),
      sandbox: noSandbox(),
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
};
