/**
 * Coding agent behind pg-boss. `send ISSUE…` adds one job for each issue, `work ISSUE…` also executes
 * jobs until it is stopped, and `list` prints the jobs. A job whose worker was killed is executed again.
 * Start it in a repository, with `DATABASE_URL`.
 */
import { PgBoss } from 'pg-boss';
import { fixIssue, type Issue } from './fix-issue.ts';

const QUEUE = 'fix-issues';

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
for (const issue of issues) await boss.send(QUEUE, { issue });
if (task === 'work') {
  await boss.work<Issue>(QUEUE, { localConcurrency: 2, pollingIntervalSeconds: 0.5 }, async ([job]) =>
    job === undefined ? undefined : await fixIssue(job.id, job.data, job.signal),
  );
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void boss.stop());
} else {
  for (const { data, state, retryCount, output } of await boss.findJobs<Issue>(QUEUE)) {
    if (task === 'list') console.log(JSON.stringify({ ...data, state, executions: retryCount + 1, output }));
  }
  await boss.stop();
}
