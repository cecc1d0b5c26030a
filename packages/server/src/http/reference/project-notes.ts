/** Notes of the operations on requests, models and the server itself. */
import type { OperationNotes } from './operation-note.ts';
import { CHANGES_EXAMPLE, FORMAT_EXAMPLE, REQUEST_DETAIL_EXAMPLE, REQUEST_EXAMPLE } from './example-views.ts';

const SCHEMA_USE = {
  hash: REQUEST_EXAMPLE.schema_hash,
  name: 'bug',
  first_used_at: REQUEST_EXAMPLE.created_at,
  last_used_at: REQUEST_EXAMPLE.created_at,
  requests: 12,
  succeeded: 11,
  failed: 1,
  canceled: 0,
};

const SHARE = {
  id: '7d0b3a52-9c0e-4c41-8a53-2f3f1f2f6d11',
  created_at: REQUEST_EXAMPLE.created_at,
  expires_at: '2026-11-30T12:04:29.120Z',
};

const FIGURES = {
  answers: 12,
  first_try: 9,
  valid: 11,
  attempts: 16,
  unanswered: 0,
  first_try_share: 0.75,
  valid_share: 0.91,
  p50_ms: 3_068,
  p95_ms: 8_754,
};

const QUALITY = {
  since: '2026-11-16T12:00:00.000Z',
  until: '2026-11-23T12:00:00.000Z',
  by: 'model',
  bucket: 'day',
  sources: ['chats'],
  is_complete: true,
  totals: FIGURES,
  buckets: [
    { start: '2026-11-22T00:00:00.000Z', key: 'scripted:demo', answers: 12, first_try: 9, valid: 11 },
  ],
  rows: [{ ...FIGURES, key: 'scripted:demo' }],
  fields: [
    {
      name: 'bug',
      schema_hash: REQUEST_EXAMPLE.schema_hash,
      path: '/line',
      rule: 'Expected integer',
      model: 'scripted:demo',
      failed: 3,
      attempts: 16,
    },
  ],
};

const RUN = {
  id: '20261123T120000Z-0a1b2c3d',
  status: 'valid',
  code: 'ok',
  agent: 'claude-code',
  model: 'opus',
  sandbox: 'bubblewrap',
  egress: 'model',
  branch: 'truecast/fix',
  mode: 'tag',
  tag: 'result',
  attempts: [
    { code: 'schema', message: '/line: Expected integer.', span: { start: 18, end: 31 } },
    { code: 'ok', message: 'The answer is valid.', span: { start: 56, end: 67 } },
  ],
  commits: ['205becc0a4b0b0f3f4c1f2f7a1c95d2f5e6a7b8c'],
  started_at: '2026-11-23T12:00:00.000Z',
  duration_ms: 41_000,
  prompt_preview: 'Find the bug. Answer in <result>.',
  value_preview: '{"line":12}',
};

const RUN_EVENT = {
  id: '310',
  type: 'tool_call',
  at: '2026-11-23T12:00:04.000Z',
  iteration: 1,
  name: 'Bash',
  text: 'npm test',
};

export const PROJECT_NOTES: Readonly<Record<string, OperationNotes>> = {
  listRequests: {
    tag: 'Requests',
    description:
      'Returns the requests for validated answers over all chats, with their attempts and without their values. `q` searches in names of schemas and titles of chats, and `label=KEY:VALUE` in labels of chats. `preview=true` adds the beginning of each question and value, and `first_issue` of each failure: the place, the rule, and what the model gave. Filters combine. `sort=cost`, `duration` or `attempts` starts with the largest, and leaves out requests without the number, such as those that run. `direction=asc` starts with the oldest or smallest. Pass `next` of a page as `after` to get the next one.',
    answer: { requests: [REQUEST_EXAMPLE] },
  },
  readRequestDetail: {
    tag: 'Requests',
    description: 'Returns a request by its id alone, with its receipt and the schema as it was sent.',
    answer: REQUEST_DETAIL_EXAMPLE,
    problems: ['request_not_found'],
  },
  listShares: {
    tag: 'Requests',
    description: 'Returns the links of a receipt that are neither expired nor revoked.',
    answer: { shares: [SHARE] },
    problems: ['request_not_found'],
  },
  createShare: {
    tag: 'Requests',
    description:
      'Creates a link that shows one receipt to a reader without a token: its value, attempts and schema, and no message of its chat. Its page is `/shared#key=` and the key. Browsers do not send that part of an address to a server.',
    body: { expires_in_seconds: 604_800 },
    answer: { ...SHARE, key: 'tcr_…' },
    problems: ['request_not_found'],
  },
  revokeShare: {
    tag: 'Requests',
    description: 'Revokes a link. The receipt is not shown to its readers again.',
    problems: ['not_found'],
  },
  readSharedReceipt: {
    tag: 'Requests',
    description:
      'Returns the receipt of a link. The bearer token is the key of the link, which no other route accepts. Wrong, expired and revoked keys have one answer.',
    answer: {
      receipt: REQUEST_DETAIL_EXAMPLE.receipt,
      schema_text: REQUEST_DETAIL_EXAMPLE.schema_text,
      expires_at: SHARE.expires_at,
    },
    problems: ['not_found'],
  },
  listModels: {
    tag: 'Server',
    description: 'Returns the models that a chat can use. One is the default.',
    answer: {
      models: [
        {
          id: 'scripted:demo',
          is_default: true,
          provider: 'openai-compatible',
          is_scripted: true,
          mode: 'tool',
          dialect: 'openai',
        },
      ],
    },
  },
  connectModel: {
    tag: 'Server',
    description:
      'Sends one short request to the model, and lists the model if it answers. It has a name of its own, `connected:PROVIDER:MODEL`, and is the default if the server has no other model. Only this process has it, until it ends: the key is in its memory alone. A model of the same name is replaced. An address is `https:` on the public internet, or `http:` on this machine and in `connectedModels.allow`.',
    body: { provider: 'openai-compatible', model: 'qwen3:8b', address: 'http://127.0.0.1:11434/v1' },
    answer: {
      type: 'connected',
      model: {
        id: 'connected:local:qwen3:8b',
        is_default: true,
        provider: 'openai-compatible',
        is_scripted: false,
        mode: 'native',
        dialect: 'openai',
        context_tokens: 4_096,
        is_connected: true,
      },
    },
    problems: ['not_found'],
  },
  disconnectModel: {
    tag: 'Server',
    description:
      'Removes a model that was connected, with its key. Running turns keep it until they end. Chats that name it fail until it is connected again.',
    problems: ['not_found'],
  },
  validateFormat: {
    tag: 'Schemas',
    description:
      'Checks a response format without running a model. The report has each problem at its pointer, and for each provider the rules that only this server enforces.',
    body: { response_format: FORMAT_EXAMPLE },
    answer: {
      is_valid: true,
      problems: [],
      dialects: [
        {
          dialect: 'anthropic',
          is_taken: true,
          losses: [{ pointer: '/properties/line/minimum', keyword: 'minimum', reason: 'unsupported' }],
          changes: [],
        },
      ],
    },
  },
  listSchemas: {
    tag: 'Schemas',
    description:
      'Returns each distinct schema that your requests used, with the number of requests by outcome. The text is left out: read it by the hash.',
    answer: { schemas: [SCHEMA_USE] },
  },
  readSchema: {
    tag: 'Schemas',
    description: 'Returns one schema by its hash, with its text as it was sent and its counts.',
    answer: { ...SCHEMA_USE, schema_text: REQUEST_DETAIL_EXAMPLE.schema_text },
    problems: ['not_found'],
  },
  readQuality: {
    tag: 'Quality',
    description:
      'Counts answers of a range: how many were valid on the first try and in the end, by time and by `by`, and which fields failed under which rule. With the scope `project` it counts runs and ensembles too, and `source` selects one of the three.',
    answer: QUALITY,
  },
  listKeptRuns: {
    tag: 'Runs',
    description:
      'Returns the runs of coding agents in the state folder of the repository, without their transcripts. A run is `live` while its process runs, and `interrupted` if its process was killed. `q` searches name, branch and prompt. `sort` orders by start, cost, duration or attempts, and leaves out live runs and those without the number. Texts of agents are sent as they are, with secrets masked.',
    answer: { runs: [RUN] },
  },
  readKeptRun: {
    tag: 'Runs',
    description:
      'Returns one run with its answer and transcript, so far for a live one. `span` of an attempt is its position in the transcript, in UTF-16 units.',
    answer: {
      ...RUN,
      prompt: RUN.prompt_preview,
      value_text: RUN.value_preview,
      repairs: [],
      check: {
        verdict: 'passed',
        commit: RUN.commits[0],
        tree: '4b825dc642cb6eb9a060e54bf8d69288fbee4904',
        duration_ms: 2_140,
      },
      warnings: [],
      transcript: {
        text: 'I looked. <result>{"line":"12"}</result> Sorry: <result>{"line":12}</result>',
        omitted_chars: 0,
      },
    },
    problems: ['not_found'],
  },
  listKeptRunEvents: {
    tag: 'Runs',
    description:
      'Returns what a run did: its agent’s text, calls of tools with their results, attempts and warnings. Pass `next` as `after` to continue. It is absent at the end of a run that is not live. With `wait`, an empty page of a live run is returned only after that many seconds.',
    answer: { status: 'live', events: [RUN_EVENT], next: '310' },
    problems: ['not_found'],
  },
  readKeptRunChanges: {
    tag: 'Runs',
    description:
      'Returns the files that differ between the start of a run and its last commit, or those of the one `commit`, as hunks of lines with a sign. It reads the repository of the server’s working directory and changes nothing. Files are at most 300, and lines at most 6,000; a file above 512 KiB and a binary one have their size only. Commits that the repository no longer has are counted. Secrets of the server are masked.',
    answer: CHANGES_EXAMPLE,
    problems: ['not_found'],
  },
  readKeptRunTranscript: {
    tag: 'Runs',
    description:
      'Returns the characters from `from` to before `to` of the agent’s text, in UTF-16 units, as spans of attempts count. A range beyond the end is cut.',
    answer: { text: '{"line":12}', from: 56, to: 67, chars: 76, omitted_chars: 0 },
    problems: ['not_found'],
  },
  streamKeptRun: {
    tag: 'Runs',
    description:
      'Sends the events of a run as server-sent events, those that exist first. The first event is `status`. A live run is followed until it ends: `status` with the result is then the last event. Send the id of the last event in `Last-Event-ID` to continue.',
    answer: RUN_EVENT,
    problems: ['not_found'],
  },
  readHealth: {
    tag: 'Server',
    description: 'Answers as long as the process runs. It reads no database.',
    answer: { status: 'ok' },
  },
  readReadiness: {
    tag: 'Server',
    description: 'Answers 200 if the database accepted a write within the last second, and otherwise 503.',
    answer: { status: 'ready', unavailable_models: 0 },
    problems: ['unavailable'],
  },
  readMetrics: {
    tag: 'Server',
    description: 'Returns counters and histograms of this process in the text format of Prometheus.',
    answer: 'truecast_turns_total{status="succeeded"} 12\n',
  },
};
