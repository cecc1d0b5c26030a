import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { agentIn, deadlineOf, removeDir, sweepCopies, tempDir, type World } from './shared.ts';

const LOG = 'build.log';
export interface Triage {
  job: string;
  cause: 'flake' | 'bug' | 'infra';
  line: number;
}

/** CI triage outside a checkout. */
export async function job(world: World): Promise<Triage> {
  const deadline = deadlineOf(world);
  const count = (await readFile(join(world.cwd, LOG), 'utf8')).replace(/\n$/, '').split('\n').length;
  const triage = z.object({
    job: z.string().trim().min(1),
    cause: z.enum(['flake', 'bug', 'infra']),
    line: z.number().int().min(1).max(count),
  });

  await sweepCopies();
  const copy = await tempDir('copy'); // the folder must not change, so the agent gets a copy
  try {
    await cp(world.cwd, copy, { recursive: true, verbatimSymlinks: true });
    const agent = agentIn(world, copy, { deadline, untouched: async () => true });
    return await agent.ask(
      `Read ${LOG} (${count} lines) and find out why the build failed; change nothing. ` +
        '`job` is the job that failed, `cause` is flake, bug or infra, `line` is the number of the line that shows the cause, counted from 1.',
      triage,
    );
  } finally {
    await removeDir(copy);
  }
}
