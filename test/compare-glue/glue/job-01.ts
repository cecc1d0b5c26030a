import { z } from 'zod';
import {
  agentOn,
  askModel,
  assertClean,
  committed,
  deadlineOf,
  git,
  land,
  lines,
  messageOf,
  onBranch,
  pool,
  sweepTrees,
  type World,
} from './shared.ts';

/** Planner, parallel fixes. */
export async function job(world: World): Promise<{ merged: string[]; failed: string[] }> {
  const repo = world.cwd;
  const deadline = deadlineOf(world);
  await assertClean(repo);
  await sweepTrees(repo);

  const files = lines(await git(repo, 'ls-files'));
  const task = z.object({
    file: z.string().refine((file) => files.includes(file), 'is not a file of the repository'),
    text: z.string().refine((text) => text.trim() !== '', 'must not be empty'),
  });
  const plan = z.object({
    // Limits as refinements: the strict mode of `response_format` takes no minLength or maxItems.
    tasks: z
      .array(task)
      .refine(({ length }) => length >= 1 && length <= 5, 'there must be 1 to 5 tasks')
      .refine((tasks) => new Set(tasks.map((t) => t.file)).size === tasks.length, 'the files of the tasks must be distinct'),
  });
  const { tasks } = await askModel(world, {
    schema: plan,
    deadline,
    prompt: `Plan the fixes that this repository needs: 1 to 5 independent tasks, each for one distinct file. Its files:\n${files.slice(0, 2000).join('\n')}`,
  });

  const runs = await pool(tasks, tasks.length, ({ file, text }) =>
    onBranch(repo, file, async (tree) => {
      const agent = agentOn(world, tree, deadline);
      await agent.tell(`Task for the file ${file}: ${text}\n\nChange what the task needs and commit it on the current branch.`);
      const files = await committed(tree, agent);
      if (!files.includes(file)) throw new Error('the agent committed no change of the file');
      return tree.branch;
    }),
  );

  const merged: string[] = [];
  const failed: string[] = [];
  for (const [i, { file }] of tasks.entries()) {
    try {
      const ran = runs[i]!;
      if (ran.status === 'rejected') throw ran.reason;
      await land(repo, ran.value);
      merged.push(file);
    } catch (error) {
      console.error(`job 1: ${messageOf(error)}`);
      failed.push(file);
    }
  }
  return { merged, failed };
}
