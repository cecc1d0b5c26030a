/** Job 7: the triage of a failed build, outside of a repository. */
import { claudeCode, noSandbox, Output, run } from 'truecast';
import { z } from 'zod';
import type { World } from '../world.ts';

const triage = z.object({
  job: z.string(),
  cause: z.enum(['flake', 'bug', 'infra']),
  line: z.int().positive(),
});

export async function job({ cwd, input }: World) {
  const { limitMs } = input as { limitMs: number };
  const output = Output.object({
    tag: 'answer',
    schema: triage,
    maxCorrections: 2,
    check: async ({ line }, { exec }) => {
      const text = (await exec(`sed -n ${line}p build.log`)).stdout;
      return text === '' ? `build.log has no line ${line}.` : undefined;
    },
  });
  const result = await run({
    agent: claudeCode(),
    sandbox: noSandbox(),
    cwd,
    readOnly: true,
    prompt: `Read build.log and find the cause of the failure. ${Output.instructions(output)}`,
    output,
    timeouts: { runMs: limitMs / 2 },
  });
  return result.output;
}
