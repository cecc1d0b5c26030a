/**
 * The job of both programs: a coding agent fixes an issue, and its work is merged. An engine calls it
 * again until it returns. `run({ id })` continues the work of an earlier call, and lands it once.
 */
import {
  bubblewrap,
  claudeCode,
  command,
  noSandbox,
  Output,
  run,
  StructuredOutputError,
  UsageError,
} from 'truecast';
import { z } from 'zod';

// Any program can be the agent, such as the one of our test. Without a session, it starts from the beginning.
const program = process.env['TRUECAST_AGENT_COMMAND'];
const place =
  program === undefined
    ? { agent: claudeCode(), sandbox: bubblewrap() }
    : {
        agent: command({ command: program }),
        sandbox: noSandbox(),
        policies: { onInterruption: 'restart' } as const,
      };

export interface Issue {
  readonly issue: string;
}

/** The receipt of a job. The engine stores it. */
export type Receipt =
  | { readonly cause: string; readonly commits: readonly string[] }
  | { readonly failed: string };

const output = Output.object({ tag: 'fix', schema: z.object({ cause: z.string() }) });

/**
 * Fixes an issue once for each id. An answer that stays invalid and a wrong option fail the same way
 * again, and an agent costs money: they end the job. A limit or a merge conflict passes.
 */
export async function fixIssue(id: string, { issue }: Issue, signal?: AbortSignal): Promise<Receipt> {
  try {
    const result = await run({
      ...place,
      id,
      ...(signal !== undefined && { signal }),
      branchStrategy: { type: 'merge-to-head' },
      prompt: `Fix this issue, and commit your work: ${issue}\n${Output.instructions(output)}`,
      output,
    });
    const { cause } = result.output;
    console.log(`${issue}: ${cause}, ${result.commits.length} commits`);
    return { cause, commits: result.commits.map(({ sha }) => sha) };
  } catch (error) {
    if (!StructuredOutputError.isInstance(error) && !UsageError.isInstance(error)) throw error;
    console.error(`${issue}: ${error.message}`);
    return { failed: error.message };
  }
}
