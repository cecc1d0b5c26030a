import { z } from 'zod';
import { agentIn, deadlineOf, git, removeDir, revision, sweepCopies, tempDir, type World } from './shared.ts';

const inputSchema = z.object({ branch: z.string().min(1) });
export interface Review {
  comments: { path: string; line: number; text: string }[];
}

/** Review with comments. */
export async function job(world: World): Promise<Review> {
  const { branch } = inputSchema.parse(world.input);
  const deadline = deadlineOf(world);
  const tip = await revision(world.cwd, `refs/heads/${branch}`);
  const diff = await git(
    world.cwd,
    'diff',
    '--no-color',
    '--no-ext-diff',
    '--no-renames',
    '--src-prefix=a/',
    '--dst-prefix=b/',
    '-U3',
    `main...${tip}`,
  );
  const allowed = linesOf(diff);
  const comment = z
    .object({ path: z.string(), line: z.number().int(), text: z.string().trim().min(1) })
    .refine(({ path }) => allowed.has(path), {
      path: ['path'],
      message: `is not in the diff; its files are ${[...allowed.keys()].join(', ')}`,
    })
    .refine(({ path, line }) => !allowed.has(path) || allowed.get(path)!.has(line), {
      path: ['line'],
      message: 'is not in the diff of this file; count lines as in the new file',
    });

  await sweepCopies();
  const copy = await tempDir('copy'); // nothing may change: the agent works in a clone that knows no origin
  try {
    await git(copy, 'clone', '--quiet', '--shared', '--branch', branch, world.cwd, '.');
    if (branch !== 'main') await git(copy, 'branch', '--quiet', 'main', 'origin/main');
    await git(copy, 'remote', 'remove', 'origin');
    const agent = agentIn(world, copy, { deadline, untouched: async () => true });
    return await agent.ask(
      `Review the changes of the branch ${branch} against main; change nothing. Each comment names a path and a line (of the new file) that are in this diff:\n\n${diff}`,
      z.object({ comments: z.array(comment) }),
    );
  } finally {
    await removeDir(copy);
  }
}

/** The lines of the new files that a unified diff shows, by path. */
function linesOf(diff: string): Map<string, Set<number>> {
  const result = new Map<string, Set<number>>();
  let current = new Set<number>();
  let [oldLeft, newLeft, line] = [0, 0, 0];
  for (const text of diff.split('\n')) {
    if (oldLeft > 0 || newLeft > 0) {
      if (text.startsWith('\\')) continue;
      if (!text.startsWith('+')) oldLeft--;
      if (!text.startsWith('-')) {
        newLeft--;
        current.add(line++);
      }
    } else if (text.startsWith('+++ ')) {
      const path = text.slice(4).replace(/\t$/, '');
      current = new Set();
      if (path !== '/dev/null') result.set((path.startsWith('"') ? (JSON.parse(path) as string) : path).slice(2), current);
    } else {
      const hunk = /^@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(text);
      if (hunk) [oldLeft, line, newLeft] = [Number(hunk[1] ?? 1), Number(hunk[2]), Number(hunk[3] ?? 1)];
    }
  }
  return result;
}
