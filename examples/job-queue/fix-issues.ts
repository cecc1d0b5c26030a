/**
 * Coding agent behind pg-boss. `send ISSUE…` adds one job for each issue, `work` executes jobs until it is
 * stopped, and `list` prints the jobs. A job whose worker was killed is executed again: `run({ id })` continues
 * it, and lands it once. Start it in a repository, with `DATABASE_URL`.
 */
import { PgBoss } from 'pg-boss';
import {
  bubblewrap,
  claudeCode,
  command,
  noSandbox,
  Output,
  run,
  StructuredOutputError,
  UsageError,
} from 'truecast';
import { z } from 'zod';

const QUEUE = 'fix-issues';

// Any program can be the agent, such as the one of our test. Without a session, it starts from the beginning.
const program = process.env['TRUECAST_AGENT_COMMAND'];
const place =
  program === undefined
    ? { agent: claudeCode(), sandbox: bubblewrap() }
    : {
        agent: command({ command: program }),
        sandbox: noSandbox(),
        policies: { onInterruption: 'restart' } as const,
      };

interface Issue {
  readonly issue: string;
}

const output = Output.object({ tag: 'fix', schema: z.object({ cause: z.string() }) });

/**
 * The activity: pg-boss calls it again until it returns. An answer that stays invalid and a wrong option fail
 * the same way again, and an agent costs money: they end the job. A limit or a merge conflict passes.
 */
async function execute(id: string, issue: Issue, signal: AbortSignal): Promise<object> {
  try {
    return await fixIssue(id, issue, signal);
  } catch (error) {
    if (!StructuredOutputError.isInstance(error) && !UsageError.isInstance(error)) throw error;
    console.error(`${issue.issue}: ${error.message}`);
    return { failed: error.message };
  }
}

async function fixIssue(id: string, { issue }: Issue, signal: AbortSignal): Promise<object> {
  const result = await run({
    ...place,
    id,
    signal,
    branchStrategy: { type: 'merge-to-head' },
    prompt: `Fix this issue, and commit your work: ${issue}\n${Output.instructions(output)}`,
    output,
  });
  const { cause } = result.output;
  console.log(`${issue}: ${cause}, ${result.commits.length} commits`);
  return { cause, commits: result.commits.map(({ sha }) => sha) };
}

const boss = new PgBoss({
  connectionString: process.env['DATABASE_URL'] ?? 'postgres://localhost/postgres',
  // A worker that sent no heartbeat is found within a second.
  superviseIntervalSeconds: 1,
  monitorIntervalSeconds: 1,
});
boss.on('error', (error) => console.error(error.message));
await boss.start();
// 10 seconds are the shortest heartbeat of pg-boss.
await boss.createQueue(QUEUE, {
  heartbeatSeconds: 10,
  expireInSeconds: 6 * 3_600,
  retryLimit: 100,
  retryDelay: 1,
});

const [task, ...issues] = process.argv.slice(2);
if (task === 'work') {
  await boss.work<Issue>(QUEUE, { localConcurrency: 2, pollingIntervalSeconds: 0.5 }, async ([job]) =>
    job === undefined ? undefined : await execute(job.id, job.data, job.signal),
  );
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void boss.stop());
} else {
  for (const issue of issues) await boss.send(QUEUE, { issue });
  for (const { data, state, retryCount, output } of await boss.findJobs<Issue>(QUEUE)) {
    if (task === 'list') console.log(JSON.stringify({ ...data, state, executions: retryCount + 1, output }));
  }
  await boss.stop();
}
