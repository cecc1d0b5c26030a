import { z } from 'zod';
import {
  advance,
  assertClean,
  commandSchema,
  deadlineOf,
  deleteBranch,
  mergeCommit,
  MergeConflict,
  messageOf,
  revision,
  serial,
  sweepTrees,
  withCheck,
  type World,
} from './shared.ts';

const inputSchema = z.object({ branches: z.array(z.string().min(1)), check: commandSchema });

/** Merge queue. */
export async function job(world: World): Promise<{ landed: string[]; refused: string[] }> {
  const { branches: given, check: command } = inputSchema.parse(world.input);
  const branches = [...new Set(given)];
  const repo = world.cwd;
  const deadline = deadlineOf(world);
  if (branches.includes('main')) throw new Error('main cannot be merged into itself');
  await assertClean(repo);
  await sweepTrees(repo);
  const tips = new Map<string, string>();
  for (const branch of branches) {
    const tip = await revision(repo, `refs/heads/${branch}`).catch(() => undefined);
    if (tip === undefined) throw new Error(`there is no branch ${branch}; nothing was merged`);
    tips.set(branch, tip);
  }

  const landed: string[] = [];
  const refused: string[] = [];
  await withCheck(world, command, async (check) => {
    for (const [i, branch] of branches.entries()) {
      try {
        const main = await revision(repo, 'main');
        const commit = await mergeCommit(repo, tips.get(branch)!, branch);
        if (commit !== main) {
          const { green, log } = await check(commit, (deadline - Date.now()) / (branches.length - i)); // a check that hangs takes only its share
          if (!green) {
            console.error(`job 5: ${branch} fails the check: ${log.slice(-1000)}`);
            refused.push(branch);
            continue;
          }
          await advance(repo, commit);
        } // else it is in main already: landed before this start
        landed.push(branch);
      } catch (error) {
        if (!(error instanceof MergeConflict)) {
          throw new Error(`the queue stopped at ${branch}: ${messageOf(error)}; landed: ${landed.join(', ') || 'nothing'}`, {
            cause: error,
          });
        }
        console.error(`job 5: ${error.message}`);
        refused.push(branch);
      }
    }
  });
  // Only now, so that a killed queue that is started again still knows what has landed.
  for (const branch of landed) {
    if ((await revision(repo, `refs/heads/${branch}`)) === tips.get(branch)) await serial(() => deleteBranch(repo, branch));
  }
  return { landed, refused };
}
