/**
 * Base calls: arguments of each public function that a caller with types passes. Each option is
 * replaced by hostile values. They name places that do not exist, so that a call ends soon.
 */
import { join } from 'node:path';
import { z } from 'zod';
import * as core from '../../packages/core/src/index.ts';
import * as client from '../../packages/client/src/index.ts';
import * as ensemble from '../../packages/ensemble/src/index.ts';
import * as model from '../../packages/model/src/index.ts';
import * as schemas from '../../packages/truecast/src/exports/schema.ts';
import { AGENTS } from '../../packages/truecast/src/agents/registry/agents.ts';
import * as truecast from '../../packages/truecast/src/index.ts';

const schema = z.object({ n: z.number() });
const agent = truecast.command({ command: ['true'] });
const sandbox = truecast.noSandbox();
const output = core.Output.object({ tag: 'r', schema });
// Nothing listens there, and no repository is there.
const baseURL = 'http://127.0.0.1:1/v1';
const cwd = '/proc';
const llm = model.openAICompatible({ baseURL, model: 'm' });
const chat = client.createClient({ baseURL: 'http://127.0.0.1:1', token: 't', maxRetries: 0 }).chat();
const contract = { allowedKinds: ['agent.spoke'], extraFields: ['mood'], winners: ['ada'], maxTextChars: 9 };
const manifest = {
  name: 'ada',
  role: 'worker',
  persona: 'You are Ada.',
  subscribesTo: [],
  mayEmit: ['agent.spoke'],
  schedule: { tickEvery: 1, maxConsecutive: 3 },
  modelProfile: 'fast',
  memory: { window: 8, useSalience: false, salienceTopK: 8 },
  outputExtraFields: [],
} as const;
const cast = [{ name: 'ada', role: 'worker', mayEmit: ['agent.spoke'], model: 'stub' }];
const scenario = { name: 's', goal: 'g', cast, genesisText: 't', seed: 'x', governor: { maxTurns: 1 } };
const tool = { description: 'A tool.', inputSchema: schema, execute: () => 'x' };
const run = {
  agent,
  sandbox,
  cwd,
  prompt: 'x',
  output,
  env: {},
  logging: { type: 'file' },
  hooks: {},
  budget: { tokens: 1 },
  timeouts: { runMs: 60_000 },
  branchStrategy: { type: 'head', editablePaths: [] },
  completionSignal: 'x',
  copyToWorktree: [],
  signal: undefined,
  publish: undefined,
  promptArgs: undefined,
  promptFile: undefined,
  name: 'n',
  onWarning: undefined,
  onAgentStreamEvent: undefined,
  policies: {},
  session: {},
};
const failure = new core.StructuredOutputError('Expected x, got y. Do z.', {
  code: 'invalid-json',
  tag: 'r',
  rawText: '',
} as never);

/** Arguments by the name of the function. */
export const BASE_CALLS: Readonly<Record<string, readonly unknown[]>> = {
  ...Object.fromEntries(Object.values(AGENTS).map(({ factory }) => [factory, ['m', { env: {} }]])),
  acp: [{ command: ['agent'], name: 'a', env: {} }],
  aiSdkProvider: [
    llm,
    { maxRetries: 0, temperature: 1, prices: { inputUsdPerMillion: 1, outputUsdPerMillion: 1 } },
  ],
  boundedFetch: [baseURL, { method: 'GET' }],
  bubblewrap: [{ egress: 'none', mounts: [], env: {} }],
  canonicalJson: [{ a: 1 }],
  claudeCode: ['opus', { effort: 'high', env: {} }],
  claudeHostSessionPath: [cwd, 'id', '/proc/projects'],
  claudeSandboxSessionPath: [cwd, 'id', '/proc/projects'],
  codex: ['m', { effort: 'high', env: {} }],
  command: [{ command: ['true'], promptVia: 'stdin', env: {} }],
  compileJsonSchema: [{ type: 'object', properties: {} }, { maxBytes: 99 }],
  createBindMountSandboxProvider: [{ name: 'n', create: () => undefined }],
  createChatTransport: [
    client.createClient({ baseURL: 'http://127.0.0.1:1', token: 't', maxRetries: 0 }),
    { output: core.Output.object({ schema }), tools: {} },
  ],
  createClient: [{ baseURL: 'http://127.0.0.1:1', token: 't', maxRetries: 0, fetch, headers: {} }],
  createEnsemble: [
    {
      scenario,
      agents: [],
      ledger: ensemble.memoryLedger({ cast: [] }),
      signal: undefined,
      onEvent: undefined,
    },
  ],
  createIsolatedSandboxProvider: [{ name: 'n', create: () => undefined }],
  createModelRouter: [{ models: undefined, env: {} }],
  createSandbox: [{ branch: 'b', sandbox, cwd, hooks: {}, timeouts: {}, agents: [agent] }],
  createChatServer: [
    {
      port: 0,
      databaseUrl: ':memory:',
      models: {},
      tools: {},
      environment: {},
      auth: undefined,
      quotas: {},
      limits: {},
      agents: undefined,
      modelsFile: undefined,
      onLog: () => undefined,
      logLevel: 'error',
      host: '127.0.0.1',
      allowedHosts: [],
      allowedOrigins: [],
    },
  ],
  createTagScanner: [output],
  createWorktree: [
    { branchStrategy: { type: 'merge-to-head' }, cwd, copyToWorktree: [], hooks: {}, timeouts: {} },
  ],
  daytona: [{ image: 'i', env: {} }],
  defaultImageName: [cwd],
  defineServerConfig: [{ models: {} }],
  describeFailure: [failure, { agentName: 'a' }],
  describeProblem: [{ file: 'f', line: 1, column: 1, message: 'm', hint: 'h' }],
  describeStorePlace: ['file.sqlite'],
  docker: [{ imageName: 'i', egress: 'none', mounts: [], env: {} }],
  encodeProjectPath: [cwd],
  escapeSuite: ['n', { sandbox: () => sandbox, skip: [] }, fakeTests()],
  eventSchema: [contract],
  extractOutput: ['<r>{"n":1}</r>', output],
  extractStructuredOutputValue: [[{ role: 'assistant', parts: [] }]],
  findClaudeSessionOnHost: ['id', '/proc/projects'],
  findCodexSessionOnHost: ['id', '/proc/sessions'],
  findUnexpressed: [schema],
  foldCompliance: [],
  foldStage: [],
  geminiCli: ['m', { approvalMode: 'yolo', env: {} }],
  generate: [
    {
      model: llm,
      prompt: 'x',
      output: core.Output.object({ schema }),
      maxCorrections: 0,
      mode: 'auto',
      budget: { tokens: 1 },
      prices: { inputUsdPerMillion: 1, outputUsdPerMillion: 1 },
      signal: AbortSignal.abort(),
      messages: undefined,
      outcomes: undefined,
      onCall: undefined,
      onPartial: undefined,
      temperature: 0,
      topP: 1,
      seed: 1,
      timeoutMs: 99,
      providerOptions: {},
      lenient: false,
    },
  ],
  interactive: [
    { agent, cwd, prompt: 'x', sandbox, branchStrategy: { type: 'head' }, hooks: {}, timeouts: {} },
  ],
  jsonInstruction: [contract],
  jsonSchema: [{ type: 'string' }, { maxBytes: 99 }],
  leaderboardOf: [[]],
  loadEnsemble: ['/proc/none', { env: {} }],
  localIsolatedSandbox: [{}],
  lowerJsonSchema: [{ type: 'string' }, 'openai', { maxWork: 999 }],
  manifestAgent: [
    {
      manifest,
      provider: ensemble.stubProvider(),
      scenario: {},
      handlers: {},
      maxPromptTokens: 999,
      importance: {},
    },
  ],
  memoryLedger: [{ cast: [], clock: () => new Date(0) }],
  noSandbox: [{ env: {} }],
  offlineAgent: [{}],
  playEnsemble: [
    join(import.meta.dirname, '../../packages/ensemble/ensembles'),
    'museum-boat',
    {
      env: {},
      seed: 'x',
      handlers: {},
      limits: { turns: 1 },
      signal: undefined,
      onEvent: undefined,
      clock: undefined,
    },
  ],
  openAICompatible: [{ baseURL, model: 'm', apiKey: 'k', headers: {}, body: {} }],
  openLedger: [{ url: ':memory:', cast: [], clock: () => new Date(0) }],
  openStore: [{ url: ':memory:' }],
  merge: [
    'nobody',
    {
      cwd,
      into: 'main',
      strategy: 'merge',
      message: 'm',
      sandbox,
      check: () => undefined,
      env: {},
      hooks: {},
      timeouts: {},
      policies: {},
      copyToWorktree: [],
      deleteBranch: false,
    },
  ],
  opencode: ['p/m', { variant: 'v', env: {} }],
  parseAgentManifest: ['name: ada', 'file.yaml', {}],
  parseAgentOutput: ['{"kind":"agent.spoke","text":"x"}', { ...contract, fallbackKind: 'agent.spoke' }],
  pi: ['p/m', { thinking: 'high', env: {} }],
  podman: [{ imageName: 'i', egress: 'none', mounts: [], env: {} }],
  replay: ['/proc/none', {}],
  resumeEnsemble: [{ scenario, agents: [], ledger: ensemble.memoryLedger({ cast: [] }), runId: 'r' }],
  resumeUIMessageStream: [chat, { output: core.Output.object({ schema }) }],
  run: [run],
  runBatch: [
    {
      ...run,
      inputs: [],
      prompt: 'x {{N}}',
      concurrency: 1,
      out: undefined,
      queue: undefined,
      retryFailed: false,
      readOnly: false,
      branchPrefix: undefined,
      agentId: 'a',
    },
  ],
  safeExtractOutput: ['<r>{"n":1}</r>', output],
  sandboxContract: ['n', { sandbox: () => sandbox }, fakeTests()],
  scriptedAgent: [{ script: [] }],
  scriptedModelServer: [{ script: [] }],
  tool: [tool],
  shellOutput: [{ lastToolResult: '{}' }],
  stubEvent: [{ seed: 's', ...contract }],
  stubProvider: [{ seed: 's' }],
  toCastMember: [manifest, 'm'],
  toEnsembleScenario: [
    { name: 's', title: 't', goal: 'g', cast: ['ada'], genesisText: 'x', defaultSeed: 'x', governor: {} },
    { agents: new Map() },
    { seed: 's', modelOf: () => 'm' },
  ],
  toJsonSchema: [schema],
  toUIMessages: [[], { receipts: [], output: core.Output.object({ schema }), tools: {} }],
  transferClaudeSession: ['{}', cwd, '/tmp'],
  transferCodexSession: ['{}', cwd, '/tmp'],
  uiMessageStream: [chat, { id: 'm', role: 'user', parts: [] }, {}],
  vercel: [{ env: {} }],
  'Output.object': [
    {
      tag: 'r',
      schema,
      maxCorrections: 0,
      mode: undefined,
      retry: 'fresh',
      maxPayloadBytes: 9,
      check: undefined,
    },
  ],
  'Output.string': [{ tag: 'r' }],
  'Output.array': [{ element: schema }],
  'Output.choice': [{ options: ['a'] }],
  'Output.json': [{}],
  'Output.instructions': [output],
  'jsonSchema.unchecked': [{ type: 'string' }, { maxBytes: 99 }],
};

/** Declares nothing: the suites only collect their tests. */
function fakeTests(): object {
  const ignore = (): void => undefined;
  return {
    describe: Object.assign(ignore, { skip: ignore, skipIf: () => ignore }),
    it: Object.assign(ignore, { skip: ignore, skipIf: () => ignore }),
    expect: ignore,
    beforeAll: ignore,
    afterAll: ignore,
  };
}

const scanner = core.createTagScanner(output);
const ledger = ensemble.memoryLedger({ cast: [{ name: 'ada', mayEmit: ['agent.spoke'] }] });

/** What public functions return, with methods of its own, by the entry of the function. */
export const HANDLES: Readonly<Record<string, { readonly entry: string; readonly value: object }>> = {
  client: {
    entry: '/client/src/index.ts',
    value: client.createClient({ baseURL: 'http://127.0.0.1:1', token: 't', maxRetries: 0 }),
  },
  chat: { entry: '/client/src/index.ts', value: chat },
  scanner: { entry: '/core/src/index.ts', value: scanner },
  validator: {
    entry: '/truecast/src/exports/schema.ts',
    value: schemas.compileJsonSchema({ type: 'object' }),
  },
  ledger: { entry: '/ensemble/src/index.ts', value: ledger },
  actor: { entry: '/ensemble/src/index.ts', value: ledger.as('ada') },
  router: { entry: '/ensemble/src/index.ts', value: ensemble.createModelRouter({ env: {} }) },
};
