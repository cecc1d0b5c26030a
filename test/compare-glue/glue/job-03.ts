import { z } from 'zod';
import { agentOn, assertClean, committed, deadlineOf, land, messageOf, onBranch, sweepTrees, type World } from './shared.ts';

const inputSchema = z.object({ max: z.number().int().positive().default(5) });
const answer = z.object({ done: z.boolean(), closed: z.string().trim() });

/** Backlog loop. */
export async function job(world: World): Promise<{ closed: string[]; done: boolean }> {
  const { max } = inputSchema.parse(world.input ?? {});
  const deadline = deadlineOf(world);
  await assertClean(world.cwd);
  await sweepTrees(world.cwd);

  const closed: string[] = [];
  for (let round = 1; round <= max; round++) {
    try {
      const run = await onBranch(world.cwd, `backlog-${round}`, async (tree) => {
        const agent = agentOn(world, tree, deadline);
        const value = await agent.ask(
          'Take the next open item of the backlog, do it and commit it on the current branch. ' +
            '`closed` is the item that you closed ("" if none was open); `done` is true when nothing is open any more.',
          answer,
        );
        const files = await committed(tree, agent);
        if (files.length === 0 && value.closed !== '')
          throw new Error(`the agent says that it closed "${value.closed}" but committed nothing`);
        if (value.closed === '' && !value.done) throw new Error('the agent closed nothing, and says that the backlog is not done');
        return { ...value, branch: files.length > 0 ? tree.branch : undefined };
      });
      if (run.branch !== undefined) await land(world.cwd, run.branch);
      if (run.closed !== '') closed.push(run.closed);
      if (run.done) return { closed, done: true };
    } catch (error) {
      throw new Error(`run ${round} failed: ${messageOf(error)}; closed and landed before: ${closed.join(', ') || 'nothing'}`, {
        cause: error,
      });
    }
  }
  return { closed, done: false };
}
