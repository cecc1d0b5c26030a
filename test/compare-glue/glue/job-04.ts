import { z } from 'zod';
import {
  agentOn,
  askModel,
  assertClean,
  committed,
  deadlineOf,
  deleteBranch,
  git,
  land,
  messageOf,
  onBranch,
  pool,
  redact,
  sweepTrees,
  type World,
} from './shared.ts';

const inputSchema = z.object({ task: z.string().min(1).default('Do the task that this repository describes.') });
const MAX_DIFF = 60_000;

/** Tournament. */
export async function job(world: World): Promise<{ winner: number }> {
  const { task } = inputSchema.parse(world.input ?? {});
  const repo = world.cwd;
  const deadline = deadlineOf(world);
  await assertClean(repo);
  await sweepTrees(repo);

  const runs = await pool([1, 2, 3], 3, (number) =>
    onBranch(repo, `candidate-${number}`, async (tree) => {
      const agent = agentOn(world, tree, deadline);
      await agent.tell(`${task}\n\nCommit your work on the current branch.`);
      const files = await committed(tree, agent);
      if (files.length === 0) throw new Error('the agent committed nothing');
      return { number, branch: tree.branch, diff: await git(repo, 'diff', '--no-color', '--no-ext-diff', tree.base, tree.branch) };
    }),
  );
  const candidates = runs.flatMap((run) => (run.status === 'fulfilled' ? [run.value] : []));
  const problems = runs.flatMap((run) => (run.status === 'rejected' ? [messageOf(run.reason)] : []));
  problems.forEach((problem) => console.error(`job 4: ${problem}`));
  if (candidates.length === 0) throw new Error(`no candidate is left: ${problems.join('; ')}`);

  try {
    const numbers = candidates.map((candidate) => candidate.number);
    const verdict = z.object({
      winner: z
        .union([z.literal(1), z.literal(2), z.literal(3)])
        .refine((n) => numbers.includes(n), `must be one of the candidates ${numbers.join(', ')}`),
      why: z.string(),
    });
    const diffs = candidates.map(({ number, diff }) => `## Candidate ${number}\n${redact(world, diff.slice(0, MAX_DIFF))}`).join('\n\n');
    const { winner } = await askModel(world, {
      schema: verdict,
      deadline,
      prompt: `Judge which candidate does this task best: ${task}\n\n${diffs}`,
    });
    await land(repo, candidates.find((candidate) => candidate.number === winner)!.branch);
    for (const { number, branch } of candidates) if (number !== winner) await deleteBranch(repo, branch);
    return { winner };
  } catch (error) {
    throw new Error(`${messageOf(error)}; the candidates are kept on ${candidates.map((candidate) => candidate.branch).join(', ')}`, {
      cause: error,
    });
  }
}
