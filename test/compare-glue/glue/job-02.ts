import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { agentOn, assertClean, committed, deadlineOf, land, onBranch, sweepTrees, type World } from './shared.ts';

const FILE = 'src.txt';

/** Review, then fix. */
export async function job(world: World): Promise<{ problems: number; merged: boolean }> {
  const deadline = deadlineOf(world);
  await assertClean(world.cwd);
  await sweepTrees(world.cwd);
  const count = (await readFile(join(world.cwd, FILE), 'utf8')).replace(/\n$/, '').split('\n').length;
  const review = z.object({ problems: z.array(z.object({ line: z.number().int().min(1).max(count), what: z.string().trim().min(1) })) });

  const { problems, branch } = await onBranch(world.cwd, 'review', async (tree) => {
    const agent = agentOn(world, tree, deadline);
    const { problems } = await agent.ask(
      `Review ${FILE} (${count} lines) and report its problems, each with its line. Do not change any files yet.`,
      review,
    );
    if (problems.length > 0)
      await agent.tell(`Now fix these problems in ${FILE} and commit the fix on the current branch:\n${JSON.stringify(problems)}`);
    const files = await committed(tree, agent);
    if (problems.length === 0 && files.length > 0) throw new Error(`the agent reported no problems but changed ${files.join(', ')}`);
    if (problems.length > 0 && !files.includes(FILE))
      throw new Error(`the agent reported ${problems.length} problems but committed no change of ${FILE}`);
    return { problems, branch: tree.branch };
  });
  if (problems.length > 0) await land(world.cwd, branch);
  return { problems: problems.length, merged: problems.length > 0 };
}
