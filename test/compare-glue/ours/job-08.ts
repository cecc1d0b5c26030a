/** Job 8: a codemod, one agent for each file. */
import { claudeCode, noSandbox, run } from 'truecast';
import type { World } from '../world.ts';

export async function job({ cwd, input }: World) {
  const { files, limitMs } = input as { files: string[]; limitMs: number };
  const failed: string[] = [];
  let landed = 0;
  const change = async (file: string) => {
    const { commits } = await run({
      agent: claudeCode(),
      sandbox: noSandbox(),
      cwd,
      prompt: `Replace \`old\` by \`new\` in ${file}. Change no other file. Commit.`,
      branchStrategy: {
        type: 'merge-to-head',
        check: async ({ exec }) => {
          const changed = (await exec('git diff --name-only main HEAD')).stdout.trim();
          return changed === file ? undefined : `Expected a change of ${file} only, got ${changed}.`;
        },
      },
      timeouts: { runMs: limitMs / 2 },
    });
    if (commits.length === 0) throw new Error('No commit.');
  };
  const waiting = [...files];
  const work = async () => {
    for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
      await change(file).then(
        () => (landed += 1),
        () => failed.push(file ?? ''),
      );
    }
  };
  await Promise.all([work(), work(), work(), work()]);
  return { landed, failed };
}
