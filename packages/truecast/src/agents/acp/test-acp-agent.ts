/**
 * Small test agent, built on the agent side of the protocol's SDK. The first word of the prompt
 * selects its action.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { Readable, Writable } from 'node:stream';
import {
  agent,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  RequestError,
  type AgentContext,
  type McpServer,
  type PromptResponse,
  type SessionUpdate,
} from '@agentclientprotocol/sdk/unstable';
import { createAgentTools } from './test-acp-tools.ts';

const can = new Set((process.env['ACP_CAN'] ?? '').split(','));
/** Sessions outlive the process, as a real agent's do. */
const storePath = process.env['ACP_STORE'] ?? '/dev/null';
let mcpServers: readonly McpServer[] = [];
const tools = createAgentTools();
let model = 'small';
let mode = 'ask';
const METHOD = can.has('api-key') ? 'api-key' : 'key';
let isLoggedIn = !can.has('login');
let onCancel: () => void = () => undefined;

type Act = (
  client: AgentContext,
  say: (update: SessionUpdate) => Promise<void>,
  text: string,
) => Promise<PromptResponse['stopReason']>;

const words = (text: string): SessionUpdate => ({
  sessionUpdate: 'agent_message_chunk',
  content: { type: 'text', text },
});

const acts: Readonly<Record<string, Act>> = {
  async say(_client, say, text) {
    for (const piece of text.split('|')) await say(words(piece));
    return 'end_turn';
  },
  // The answer to retry feedback, whose first word is not an action.
  async answer(_client, say) {
    await say(words('<result>{"a":1}</result>'));
    return 'end_turn';
  },
  async tell(_client, say) {
    await say(
      words(
        JSON.stringify({
          mcpServers,
          model,
          history: readFileSync(storePath, 'utf8'),
          cwd: process.cwd(),
          home: process.env['HOME'],
        }),
      ),
    );
    return 'end_turn';
  },
  // Begins with the tools that it knows, as a model gets them. A later listing is too late.
  async submit(_client, say, text) {
    if (can.has('start-with-prompt')) await tools.start(mcpServers);
    const [name] = tools.names;
    if (name !== undefined) await tools.call(name, { output: { a: Number.parseInt(text, 10) } });
    await say(words(`tools: ${tools.names.length}`));
    return 'end_turn';
  },
  // Refuses its own tools, and does not ask, in all modes but one.
  async guarded(_client, say) {
    if (mode === 'yolo') execFileSync('git', ['commit', '-q', '--allow-empty', '-m', 'by acp']);
    await say(words(mode));
    return 'end_turn';
  },
  async work(_client, say) {
    await say({ sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: 'hm' } });
    await say({
      sessionUpdate: 'tool_call',
      toolCallId: '1',
      title: 'Commit',
      kind: 'execute',
      status: 'pending',
      rawInput: { command: 'git commit' },
    });
    execFileSync('git', ['commit', '-q', '--allow-empty', '-m', 'by acp']);
    await say({ sessionUpdate: 'tool_call_update', toolCallId: '1', status: 'in_progress' });
    await say({
      sessionUpdate: 'tool_call_update',
      toolCallId: '1',
      status: 'completed',
      content: [{ type: 'content', content: { type: 'text', text: 'done' } }],
    });
    await say({
      sessionUpdate: 'usage_update',
      used: 10,
      size: 100,
      cost: { amount: 0.25, currency: 'USD' },
    });
    await say(words('worked'));
    return 'end_turn';
  },
  async ask(client, say) {
    const { outcome } = await client.request(methods.client.session.requestPermission, {
      sessionId: 's',
      toolCall: { toolCallId: '2', title: 'Delete all' },
      options: [
        { optionId: 'always', name: 'Always', kind: 'allow_always' },
        { optionId: 'no', name: 'No', kind: 'reject_once' },
        { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
      ],
    });
    await say(words(outcome.outcome === 'selected' ? outcome.optionId : outcome.outcome));
    return 'end_turn';
  },
  stop: (_client, _say, text) => Promise.resolve(text as PromptResponse['stopReason']),
  fail: () =>
    Promise.reject(new RequestError(-32603, 'Internal error', { details: 'status: 429, slow down' })),
  crash: () => process.exit(7),
  async hang(_client, say) {
    await say(words('hanging'));
    const { promise, resolve } = Promise.withResolvers<void>();
    onCancel = () => {
      writeFileSync('cancelled', '');
      resolve();
    };
    const timer = setInterval(() => undefined, 1_000);
    await promise;
    clearInterval(timer);
    return 'cancelled';
  },
};

const configOptions = () => [
  {
    type: 'select' as const,
    id: 'llm',
    name: 'Model',
    category: 'model',
    currentValue: model,
    options: [
      { value: 'small', name: 'S' },
      { value: 'large', name: 'L' },
    ],
  },
];

const MODES = ['ask', 'plan', 'yolo', 'https://example.invalid/modes#autopilot'];

/** Agents tell their modes apart from their options, or as one of them. */
const session = () => ({
  configOptions: [
    ...configOptions(),
    ...(can.has('mode-option')
      ? [
          {
            type: 'select' as const,
            id: 'mode',
            name: 'Mode',
            currentValue: mode,
            options: MODES.map((value) => ({ value, name: value })),
          },
        ]
      : []),
  ],
  ...(can.has('modes') && {
    modes: { currentModeId: mode, availableModes: MODES.map((id) => ({ id, name: id })) },
  }),
});

function enterMode(id: string): void {
  if (can.has('refuse-modes')) throw RequestError.invalidParams({ mode: id });
  mode = id;
}

/** Beside the session, as agents do. */
function startTools(): void {
  if (can.has('start-slowly')) void tools.start(mcpServers, { isSlow: true });
}

const app = agent({ name: 'test' })
  .onRequest(methods.agent.initialize, () => ({
    protocolVersion: PROTOCOL_VERSION,
    agentCapabilities: {
      loadSession: can.has('load'),
      sessionCapabilities: { ...(can.has('resume') && { resume: {} }), ...(can.has('fork') && { fork: {} }) },
    },
    authMethods: [{ id: METHOD, name: 'A key' }],
  }))
  .onRequest(methods.agent.authenticate, ({ params }) => {
    if (can.has('no-login')) throw RequestError.invalidParams();
    isLoggedIn = params.methodId === METHOD;
    return {};
  })
  .onRequest(methods.agent.session.new, ({ params }) => {
    if (!isLoggedIn) throw RequestError.authRequired();
    mcpServers = params.mcpServers;
    writeFileSync(storePath, '');
    startTools();
    return { sessionId: 's', ...session() };
  })
  .onRequest(methods.agent.session.load, async ({ params, client }) => {
    mcpServers = params.mcpServers;
    startTools();
    await client.notify(methods.client.session.update, {
      sessionId: params.sessionId,
      update: words('<result>"old"</result>'),
    });
    return session();
  })
  .onRequest(methods.agent.session.resume, () => session())
  .onRequest(methods.agent.session.fork, () => ({ sessionId: 'forked', ...session() }))
  .onRequest(methods.agent.session.setMode, ({ params }) => {
    enterMode(params.modeId);
    return {};
  })
  .onRequest(methods.agent.session.setConfigOption, ({ params }) => {
    if (params.configId === 'llm' && typeof params.value === 'string') model = params.value;
    if (params.configId === 'mode' && typeof params.value === 'string') enterMode(params.value);
    return { configOptions: configOptions() };
  })
  .onNotification(methods.agent.session.cancel, () => onCancel())
  .onRequest(methods.agent.session.prompt, async ({ params, client }) => {
    const [block] = params.prompt;
    const [word = '', ...rest] = (block?.type === 'text' ? block.text : '').split(' ');
    const say = (update: SessionUpdate): Promise<void> =>
      client.notify(methods.client.session.update, { sessionId: params.sessionId, update });
    const act = acts[word] ?? acts['answer'];
    const stopReason = (await act?.(client, say, rest.join(' '))) ?? 'end_turn';
    writeFileSync(storePath, `${word};`, { flag: 'a' });
    return {
      stopReason,
      usage: { inputTokens: 5, outputTokens: 2, totalTokens: 9, thoughtTokens: 1, cachedReadTokens: 1 },
    };
  });

app.connect(
  ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>),
);
