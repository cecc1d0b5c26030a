/** Job 10: fixes until a test passes. */
import { claudeCode, createSandbox, noSandbox } from 'truecast';
import type { World } from '../world.ts';

const MAX_ROUNDS = 4;

export async function job({ cwd, input }: World) {
  const { test, limitMs } = input as { test: string; limitMs: number };
  const agent = claudeCode();
  const sandbox = await createSandbox({ branch: 'green', cwd, sandbox: noSandbox(), agents: [agent] });
  try {
    const timeouts = { runMs: limitMs / MAX_ROUNDS };
    let result = await sandbox.run({ agent, prompt: `Fix what \`${test}\` finds. Commit.`, timeouts });
    for (let rounds = 1; ; rounds += 1) {
      const { exitCode, stdout, stderr } = await sandbox.exec(test);
      if (exitCode === 0) {
        const check = async (tree: { exec: typeof sandbox.exec }) =>
          (await tree.exec(test)).exitCode === 0 ? undefined : `\`${test}\` fails on what was committed.`;
        await sandbox.close({ merge: { check, deleteBranch: true } });
        return { rounds, green: true };
      }
      if (rounds === MAX_ROUNDS || result.resume === undefined) return { rounds, green: false };
      result = await result.resume(`It still fails. Go on, and commit.\n${stdout}${stderr}`);
    }
  } finally {
    await sandbox.close();
  }
}
