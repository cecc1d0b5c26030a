/**
 * The same under DBOS: a workflow with one step. `send ISSUE…` adds one workflow for each issue, `work
 * ISSUE…` also executes them until it is stopped, and `list` prints them. A worker that starts executes
 * the workflows again that it was killed in. Start it in a repository, with `DATABASE_URL`.
 */
import { DBOS, DBOSClient } from '@dbos-inc/dbos-sdk';
import { fixIssue, type Issue, type Receipt } from './fix-issue.ts';

const NAME = 'fix-issues';
const WORKFLOW = 'fixIssue';
const systemDatabaseUrl = process.env['DATABASE_URL'] ?? 'postgres://localhost/postgres';

// The id of the workflow is the id of the run. DBOS starts a killed step again, and then a failed one.
const step = { name: 'run', retriesAllowed: true, maxAttempts: 100, intervalSeconds: 1, backoffRate: 1 };
DBOS.registerWorkflow(
  (issue: Issue): Promise<Receipt> => {
    const { workflowID = '' } = DBOS;
    return DBOS.runStep(() => fixIssue(workflowID, issue, DBOS.stepStatus?.cancelSignal), step);
  },
  { name: WORKFLOW, maxRecoveryAttempts: 100 },
);

const [task, ...issues] = process.argv.slice(2);
await DBOS.migrate(systemDatabaseUrl);
const client = await DBOSClient.create({ systemDatabaseUrl, applicationName: NAME });
for (const issue of issues) await client.enqueue({ queueName: NAME, workflowName: WORKFLOW }, { issue });
if (task === 'list') {
  for (const workflow of await client.listWorkflows({ workflowName: WORKFLOW })) {
    const { input: [data] = [], status, recoveryAttempts, output } = workflow;
    console.log(JSON.stringify({ ...Object(data), state: status, executions: recoveryAttempts, output }));
  }
}
await client.destroy();
if (task === 'work') {
  // With several workers at once, each needs its own `DBOS__VMID`: the name whose workflows it continues.
  // Without a listener to SIGTERM, `run()` keeps the agent's work, and then ends the process.
  DBOS.setConfig({ name: NAME, systemDatabaseUrl, logLevel: 'error' });
  await DBOS.launch();
  await DBOS.registerQueue(NAME, { workerConcurrency: 2, minPollingIntervalMs: 500 });
}
