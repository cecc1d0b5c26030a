import { z } from 'zod';
import { agentOn, assertClean, committed, deadlineOf, land, messageOf, onBranch, pool, sweepTrees, type World } from './shared.ts';

const inputSchema = z.object({
  files: z.array(z.string().min(1)),
  task: z.string().min(1).default('Apply the codemod that this repository describes.'),
});

/** Codemod. */
export async function job(world: World): Promise<{ landed: number; failed: string[] }> {
  const { files: given, task } = inputSchema.parse(world.input);
  const files = [...new Set(given)];
  const deadline = deadlineOf(world);
  await assertClean(world.cwd);
  await sweepTrees(world.cwd);

  const runs = await pool(files, 4, async (file) => {
    const branch = await onBranch(world.cwd, file, async (tree) => {
      const agent = agentOn(world, tree, deadline);
      await agent.tell(`${task}\n\nChange the file ${file} and no other file, and commit it on the current branch.`);
      const changed = await committed(tree, agent);
      if (!changed.includes(file)) throw new Error('the agent committed no change of the file');
      const others = changed.filter((name) => name !== file);
      if (others.length > 0) throw new Error(`the agent also changed ${others.join(', ')}`);
      return tree.branch;
    });
    await land(world.cwd, branch);
  });
  const failed = files.filter((_, i) => runs[i]!.status === 'rejected');
  for (const run of runs) if (run.status === 'rejected') console.error(`job 8: ${messageOf(run.reason)}`);
  return { landed: files.length - failed.length, failed };
}
