/**
 * Plans tasks from GOAL.md, works on them in parallel on separate branches, and merges finished
 * ones. Finishes unmerged work of earlier runs first.
 *
 * Run it: `node .truecast/main.ts`
 */
import { execFileSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { Output, run } from 'truecast';
import { z } from 'zod';
import { agent, maxCorrections, sandbox } from './agent.ts';

const MAX_ROUNDS = 3;
const MAX_AT_ONCE = 3;
const PREFIX = 'truecast/task-';

const taskList = z.array(
  z.object({ id: z.string().regex(/^[a-z0-9][a-z0-9-]{0,40}$/u), instructions: z.string().min(1) }),
);
const plan = z.object({
  tasks: taskList.refine((tasks) => new Set(tasks.map(({ id }) => id)).size === tasks.length, {
    message: 'Each task needs an id of its own.',
  }),
});
const report = z.object({ isFinished: z.boolean(), summary: z.string() });
type Task = z.infer<typeof taskList>[number];

const cwd = dirname(import.meta.dirname);
const promptOf = (name: string): string => join(import.meta.dirname, name);
const logging = { type: 'file', live: process.stderr } as const;
const git = (...args: readonly string[]): string =>
  execFileSync('git', args, { cwd, encoding: 'utf8' }).trim();

/**
 * Deletes a branch. If a worktree still uses it, as after a failed run, `npx --no truecast clean`
 * removes it later.
 */
function drop(branch: string, ...flags: readonly string[]): void {
  const held = git('branch', '--list', branch, '--format=%(worktreepath)%(refname:short)');
  if (held === branch) git('branch', '--delete', ...flags, branch);
  else if (held !== '') console.error(`${branch} stays for now: a worktree holds it`);
}

/** Returns task branches with unmerged work, from any run. */
function unmergedTasks(): string[] {
  const listed = git('branch', '--list', `${PREFIX}*`, '--no-merged', 'HEAD', '--format=%(refname:short)');
  return listed.split('\n').filter((branch) => branch !== '');
}

/** Plans the tasks. The planner's branch is never merged, so it cannot affect your checkout. */
async function planTasks(known: readonly string[]): Promise<readonly Task[]> {
  const branch = `truecast/plan-${Date.now().toString(36)}`;
  const { output } = await run({
    agent,
    sandbox,
    cwd,
    name: 'plan',
    branchStrategy: { type: 'branch', branch },
    promptFile: promptOf('plan-prompt.md'),
    promptArgs: { KNOWN: known.join(', ') || 'none' },
    output: Output.object({ tag: 'plan', schema: plan, maxCorrections }),
    logging,
  });
  drop(branch, '--force');
  return output.tasks.filter(({ id }) => !known.includes(id));
}

/** Does one task on its branch. Returns whether it is finished, even if this run made no commit. */
async function work(task: Task): Promise<string | undefined> {
  const branch = `${PREFIX}${task.id}`;
  try {
    const { output } = await run({
      agent,
      sandbox,
      cwd,
      name: task.id,
      branchStrategy: { type: 'branch', branch },
      promptFile: promptOf('work-prompt.md'),
      promptArgs: { ID: task.id, INSTRUCTIONS: task.instructions },
      output: Output.object({ tag: 'report', schema: report, maxCorrections }),
      logging,
    });
    console.log(`${task.id}: ${output.isFinished ? 'finished' : 'not finished'}: ${output.summary}`);
    return output.isFinished ? branch : undefined;
  } catch (error) {
    // One failed task must not end the others. The next round resumes its branch.
    console.error(`${task.id}: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}

async function workAtOnce(tasks: readonly Task[]): Promise<string[]> {
  const left = [...tasks];
  const finished: string[] = [];
  const worker = async (): Promise<void> => {
    for (let task = left.shift(); task !== undefined; task = left.shift()) {
      const branch = await work(task);
      if (branch !== undefined) finished.push(branch);
    }
  };
  await Promise.all(Array.from({ length: MAX_AT_ONCE }, worker));
  return finished;
}

/**
 * Lets an agent merge in a separate worktree, and checks with git what is merged, instead of
 * trusting the agent.
 */
async function merge(branches: readonly string[]): Promise<void> {
  const open = branches.filter((branch) => unmergedTasks().includes(branch));
  if (open.length > 0) {
    await run({
      agent,
      sandbox,
      cwd,
      name: 'merge',
      branchStrategy: { type: 'merge-to-head' },
      promptFile: promptOf('merge-prompt.md'),
      promptArgs: { BRANCHES: open.join('\n') },
      logging,
    });
  }
  for (const branch of branches) {
    if (unmergedTasks().includes(branch)) console.error(`${branch} is not merged`);
    else drop(branch);
  }
}

for (let round = 1; round <= MAX_ROUNDS; round += 1) {
  const known = unmergedTasks().map((branch) => branch.slice(PREFIX.length));
  const begun = known.map((id) => ({
    id,
    instructions: 'An earlier round began this. Read its commits, and finish it.',
  }));
  const tasks = [...begun, ...(await planTasks(known))];
  if (tasks.length === 0) {
    console.log('Nothing is left to do.');
    break;
  }
  console.log(`Round ${round}: ${tasks.map(({ id }) => id).join(', ')}`);
  await merge(await workAtOnce(tasks));
}

const left = unmergedTasks();
if (left.length > 0) {
  console.error(`Not merged: ${left.join(', ')}`);
  process.exitCode = 1;
}
