import { z } from 'zod';
import { agentOn, assertClean, commandSchema, committed, deadlineOf, land, onBranch, sweepTrees, withCheck, type World } from './shared.ts';

const MAX_ROUNDS = 4;
const inputSchema = z.object({ test: commandSchema });

/** Test and fix until green. */
export async function job(world: World): Promise<{ rounds: number; green: boolean }> {
  const { test: command } = inputSchema.parse(world.input);
  const deadline = deadlineOf(world);
  await assertClean(world.cwd);
  await sweepTrees(world.cwd);

  const result = await withCheck(world, command, (test) =>
    onBranch(world.cwd, 'fix', async (tree) => {
      const agent = agentOn(world, tree, deadline);
      let last = await test(tree.base, deadline - Date.now());
      let rounds = 0;
      let changed = false;
      while (!last.green && rounds < MAX_ROUNDS) {
        rounds++;
        await agent.tell(
          `The command \`${[command].flat().join(' ')}\` must exit with 0. Its output now:\n${last.log || '(none)'}\n\n` +
            'Fix what is wrong (not the command) and commit it on the current branch.',
        );
        changed = (await committed(tree, agent)).length > 0;
        last = await test(tree.branch, deadline - Date.now());
      }
      if (!last.green) console.error(`job 10: not green after ${rounds} rounds; the work is kept on ${tree.branch}`);
      return { rounds, green: last.green, branch: last.green && changed ? tree.branch : undefined };
    }),
  );
  if (result.branch !== undefined) await land(world.cwd, result.branch);
  return { rounds: result.rounds, green: result.green };
}
