/** Notes of the operations on durable runs of coding agents. */
import type { BatchView, CreateBatchBody } from '@truecast/client/internal/wire/runs/agent-batch';
import type {
  AgentRunDetailView,
  AgentRunReceipt,
  AgentRunView,
  CreateAgentRunBody,
} from '@truecast/client/internal/wire/runs/agent-run';
import type { WebhookDeliveryView } from '@truecast/client/internal/wire/webhook';
import { CHANGES_EXAMPLE, FORMAT_EXAMPLE } from './example-views.ts';
import type { OperationNotes } from './operation-note.ts';

const ID = '0b0f1d3e-6f0a-4c52-9d0c-2f5f5a1f1d11';
const BASE = '9b1c2f0d7e6a5b4c3d2e1f0a9b8c7d6e5f4a3b2c';
const HEAD = '1f0a9b8c7d6e5f4a3b2c9b1c2f0d7e6a5b4c3d2e';
const CREATED = '2026-11-23T12:00:00.000Z';
const STARTED = '2026-11-23T12:00:01.000Z';
const ENDED = '2026-11-23T12:03:11.000Z';

const BODY: CreateAgentRunBody = {
  repository: 'web',
  agent: 'claude-code',
  prompt: 'Fix the failing test.',
  response_format: FORMAT_EXAMPLE,
};
const QUEUED: AgentRunView = {
  id: ID,
  status: 'queued',
  repository: 'web',
  agent: 'claude-code',
  branch: `truecast/runs/${ID}`,
  priority: 0,
  executions: 0,
  prompt_preview: BODY.prompt,
  version: 1,
  created_at: CREATED,
};
const RECEIPT: AgentRunReceipt = {
  run_id: ID,
  status: 'succeeded',
  value: { line: 12 },
  value_text: '{"line":12}',
  mode: 'mcp',
  attempts: [{ code: 'ok', message: '' }],
  agent: 'claude-code',
  repository: 'web',
  branch: QUEUED.branch,
  base_sha: BASE,
  head_sha: HEAD,
  commits: [HEAD],
  pushed: true,
  executions: 1,
  warnings: [],
  duration_ms: 190_000,
  created_at: CREATED,
  started_at: STARTED,
  ended_at: ENDED,
};
const ARTIFACTS: AgentRunDetailView['artifacts'] = [
  { name: 'changes.patch', media_type: 'text/x-diff', size: 1_830 },
  { name: 'log', media_type: 'text/plain', size: 24_117 },
];
const DETAIL: AgentRunDetailView = {
  ...QUEUED,
  status: 'succeeded',
  executions: 1,
  version: 9,
  started_at: STARTED,
  ended_at: ENDED,
  prompt: BODY.prompt,
  response_format: FORMAT_EXAMPLE,
  limits: {},
  execution_history: [
    { number: 1, worker: '5f5a1f1d', started_at: STARTED, ended_at: ENDED, ending: 'ended' },
  ],
  artifacts: ARTIFACTS,
  receipt: RECEIPT,
};

const BATCH_BODY: CreateBatchBody = {
  name: 'nightly',
  repository: 'web',
  agent: 'claude-code',
  response_format: FORMAT_EXAMPLE,
};
const BATCH: BatchView = {
  id: ID,
  name: BATCH_BODY.name,
  status: 'open',
  items: 1,
  succeeded: 0,
  failed: 0,
  canceled: 0,
  spent: { tokens: 0, usd: 0 },
  created_at: CREATED,
};
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const DELIVERY: WebhookDeliveryView = {
  id: 'msg_0b0f1d3e',
  url: 'HTTPS://ci.example.com/hook',
  status: 'delivered',
  tries: 1,
  answer_status: 204,
  created_at: ENDED,
  tried_at: ENDED,
};

export const AGENT_RUN_NOTES: Readonly<Record<string, OperationNotes>> = {
  createRun: {
    tag: 'Runs',
    description:
      'Creates a run: a coding agent works on a new branch of a repository, in a sandbox of any worker whose configuration names the repository and the agent. It ends once, with a receipt, also if its worker is killed. With a `response_format` of type `json_schema`, it succeeds only with a value that the schema accepts.',
    body: BODY,
    answer: QUEUED,
    problems: ['queue_full', 'budget_spent'],
  },
  listRuns: {
    tag: 'Runs',
    description:
      'Returns the runs of the token’s owner, with the beginning of their values. `q` searches in the beginning of prompts and in branches, `metadata=KEY:VALUE` returns those with this value. `sort` orders by creation, cost, duration or attempts, and leaves out runs without the number. Pass `next` of a page as `after` to get the next one.',
    answer: { runs: [QUEUED] },
  },
  readRun: {
    tag: 'Runs',
    description:
      'Returns a run with its executions and a list of its artifacts, and with its receipt once it has ended. With `wait`, the answer comes at the end of the run, or after that many seconds.',
    answer: DETAIL,
  },
  cancelRun: {
    tag: 'Runs',
    description:
      'Cancels a run. A queued one ends at once. The agent of a running one is stopped first, and its receipt names its commits. A run whose answer is accepted cannot be canceled.',
    answer: { ...QUEUED, status: 'canceling', phase: 'working' },
    problems: ['not_allowed'],
  },
  listRunArtifacts: {
    tag: 'Runs',
    description:
      'Returns what a run left besides its receipt, with sizes in bytes. `log` and `session` exist once the agent works, the others at its end. `omitted_bytes` is the size of the beginning that was left out.',
    answer: { artifacts: ARTIFACTS },
  },
  readRunArtifact: {
    tag: 'Runs',
    description:
      'Returns an artifact of a run as an attachment. Secrets are masked as in logs. Names: `log`, `changes.patch`, `uncommitted.patch`, `recording.jsonl` and `session`.',
    answer: 'diff --git a/sum.js b/sum.js\n',
  },
  patchRun: {
    tag: 'Runs',
    description:
      'Changes the priority of a run in the queue, and the values by which the list finds it. Members that are absent stay. `metadata` replaces all values.',
    body: { priority: 10, metadata: { issue: '42' } },
    answer: { ...QUEUED, priority: 10, metadata: { issue: '42' } },
  },
  deleteRun: {
    tag: 'Runs',
    description:
      'Removes the events, the log, the patches, the recording and the session of a run that has ended. Its request and its receipt remain. Branches and commits in the repository remain too. Repeating it changes nothing.',
    problems: ['not_allowed'],
  },
  continueRun: {
    tag: 'Runs',
    description:
      'Creates a run that continues one that has ended. Its agent works on the same branch, in a copy of the agent’s session. `message` is the next prompt, or the answer to the question with which the run ended. The form of the answer is that of the run, unless the body has a `response_format`. Each run is continued once: continue the last one, or set `fork` for a new branch.',
    body: { message: 'The tests fail. Fix them.' },
    answer: { ...QUEUED, parent_id: ID, relation: 'continue' },
    problems: ['not_allowed', 'queue_full', 'budget_spent'],
  },
  readRunChanges: {
    tag: 'Runs',
    description:
      'Returns the files that the commits of a run that has ended changed together, or those of the one `commit`, as hunks of lines with a sign. It reads the repository of this server: commits that only another worker has are counted as missing. Its bounds are those of the changes of kept runs. Secrets of the server are masked.',
    answer: CHANGES_EXAMPLE,
    problems: ['not_found'],
  },
  listDeliveries: {
    tag: 'Runs',
    description:
      'Returns the deliveries of the webhook of a run. A delivery is tried ten times over three days, until an answer with a status of 200 to 299.',
    answer: { deliveries: [DELIVERY] },
  },
  redeliver: {
    tag: 'Runs',
    description: 'Sends a delivery again that is over. An address that answered 410 gets deliveries again.',
    answer: { ...DELIVERY, status: 'pending', tries: 0, next_at: ENDED },
    problems: ['not_allowed'],
  },
  readWebhookSecret: {
    tag: 'Runs',
    description:
      'Returns the secret that signs the webhooks of the token’s owner, as Standard Webhooks 1.0 define it. After a rotation, both secrets sign for a day.',
    answer: { secret: SECRET },
  },
  rotateWebhookSecret: {
    tag: 'Runs',
    description: 'Replaces the secret of the token’s owner. The one before signs for one more day.',
    answer: { secret: SECRET, previous_secret: SECRET, previous_expires_at: ENDED },
  },
  listRepositories: {
    tag: 'Runs',
    description:
      'Returns the names that `repository` and `agent` of a new run can have. Paths and addresses stay on the server.',
    answer: { repositories: [{ name: 'web', agents: ['claude-code'] }] },
  },
  listWorkers: {
    tag: 'Runs',
    description:
      'Returns the processes that execute runs now, of all servers of the database. One that was killed is listed for up to 90 seconds.',
    answer: { workers: [{ name: '5f5a1f1d', repositories: ['web'], agents: ['claude-code'], places: 4 }] },
  },
  retryRun: {
    tag: 'Runs',
    description: 'Creates a run with the request of one that has ended. `parent_id` names that one.',
    answer: { ...QUEUED, parent_id: ID, relation: 'retry' },
    problems: ['not_allowed', 'queue_full', 'budget_spent'],
  },
  createBatch: {
    tag: 'Runs',
    description:
      'Creates a batch: runs with this request and different prompts. A second request with the same name and the same members returns the same batch, and opens it again if it was closed. A canceled one stays canceled.',
    body: BATCH_BODY,
    answer: BATCH,
    problems: ['idempotency_mismatch'],
  },
  addBatchItems: {
    tag: 'Runs',
    description:
      'Adds up to 1,000 items to an open batch, each as a queued run. An item whose key the batch has is not added again, so an upload can be repeated.',
    body: { items: [{ key: '42', prompt: BODY.prompt }] },
    answer: { added: 1 },
    problems: ['not_allowed', 'queue_full'],
  },
  closeBatch: {
    tag: 'Runs',
    description: 'Declares that a batch has all its items. Closing it again changes nothing.',
    answer: { ...BATCH, status: 'closed', closed_at: STARTED },
  },
  cancelBatch: {
    tag: 'Runs',
    description:
      'Cancels a batch: it takes no further items, queued runs end with `batch_canceled`, and running agents are stopped.',
    answer: { ...BATCH, status: 'canceled', canceled: 1, closed_at: STARTED },
  },
  readBatch: {
    tag: 'Runs',
    description: 'Returns a batch with the counts of its items, by how they ended.',
    answer: BATCH,
  },
  listBatchResults: {
    tag: 'Runs',
    description:
      'Returns the receipts of a batch in the order in which its runs ended. Pass `next` as `after` to continue. With `wait`, the answer comes with the next result, or after that many seconds. Without `next`, all items of the closed batch have ended.',
    answer: { results: [{ key: '42', receipt: RECEIPT }], next: '1' },
  },
  streamRun: {
    tag: 'Runs',
    description:
      'Sends the events of a run as server-sent events, those that exist first. The last one is `receipt`. Each event has an id: send the last one in `Last-Event-ID` to continue, without lost and without repeated events.',
    answer: { type: 'status', status: 'running', phase: 'preparing', at: STARTED },
  },
};
