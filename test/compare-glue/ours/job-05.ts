/** Job 5: a merge queue with a check. */
import { merge, noSandbox } from 'truecast';
import type { World } from '../world.ts';

export async function job({ cwd, input }: World) {
  const { branches, check, limitMs } = input as { branches: string[]; check: string; limitMs: number };
  const { merged, kept } = await merge(branches, {
    cwd,
    sandbox: noSandbox(),
    check: async ({ exec }) => ((await exec(check)).exitCode === 0 ? undefined : `\`${check}\` fails.`),
    timeouts: { checkMs: limitMs / (branches.length + 1) },
  });
  return { landed: merged.map(({ branch }) => branch), refused: kept.map(({ branch }) => branch) };
}
