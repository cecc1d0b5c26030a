/** Inputs of the agents: output lines, command lines, and properties. */
import * as theirs from '@ai-hero/sandcastle';
import * as ours from '../../packages/truecast/src/exports/sandcastle.ts';
import type { Difference, OracleCase } from './oracle-case.ts';

const AGENTS = ['claudeCode', 'codex', 'cursor', 'opencode', 'copilot', 'pi'] as const;
type AgentName = (typeof AGENTS)[number];

const assistant = (...content: readonly object[]): object => ({ type: 'assistant', message: { content } });
const text = (value: string): object => ({ type: 'text', text: value });
const tool = (name: string, input: object): object => ({ type: 'tool_use', id: 't', name, input });
const part = (type: string, value: object): object => ({ type, sessionID: 's', part: value });

/** Lines as each CLI prints them. */
const LINES: readonly (readonly [AgentName, string, unknown, Difference?])[] = [
  ['claudeCode', 'session', { type: 'system', subtype: 'init', session_id: 's1' }],
  ['claudeCode', 'another system line', { type: 'system', subtype: 'other', session_id: 's1' }],
  ['claudeCode', 'text', assistant(text('Hello'))],
  ['claudeCode', 'two texts', assistant(text('Hel'), text('lo')), 'results of a line'],
  ['claudeCode', 'Bash', assistant(tool('Bash', { command: 'ls -la' }))],
  ['claudeCode', 'WebSearch', assistant(tool('WebSearch', { query: 'q' }))],
  ['claudeCode', 'WebFetch', assistant(tool('WebFetch', { url: 'https://a.example' }))],
  ['claudeCode', 'text and a tool', assistant(text('Now'), tool('Bash', { command: 'ls' }), text('Then'))],
  ['claudeCode', 'a tool that is not listed', assistant(tool('Read', { file_path: '/a' })), 'tool calls'],
  ['claudeCode', 'a sub-agent', assistant(tool('Agent', { description: 'd' }))],
  ['claudeCode', 'result', { type: 'result', subtype: 'success', is_error: false, result: 'Done' }],
  ['claudeCode', 'failed result', { type: 'result', subtype: 'success', is_error: true, result: 'Bad' }],
  ['claudeCode', 'a user line', { type: 'user', message: { content: [] } }],
  ['codex', 'session', { type: 'thread.started', thread_id: 's1' }],
  [
    'codex',
    'text',
    { type: 'item.completed', item: { id: 'i', type: 'agent_message', text: 'Hi' } },
    'results of a line',
  ],
  [
    'codex',
    'command',
    { type: 'item.started', item: { id: 'i', type: 'command_execution', command: 'ls' } },
    'tool calls',
  ],
  [
    'codex',
    'usage',
    { type: 'turn.completed', usage: { input_tokens: 9, cached_input_tokens: 4, output_tokens: 2 } },
  ],
  ['codex', 'error', { type: 'error', message: 'Bad' }, 'failed turns of a line'],
  ['codex', 'failed turn', { type: 'turn.failed', error: { message: 'Bad' } }, 'failed turns of a line'],
  ['cursor', 'session', { type: 'system', subtype: 'init', session_id: 's1' }],
  ['cursor', 'text', assistant(text('Hello'))],
  [
    'cursor',
    'read',
    {
      type: 'tool_call',
      subtype: 'started',
      call_id: 'c',
      tool_call: { readToolCall: { args: { path: '/a' } } },
    },
  ],
  [
    'cursor',
    'completed read',
    {
      type: 'tool_call',
      subtype: 'completed',
      call_id: 'c',
      tool_call: { readToolCall: { args: { path: '/a' } } },
    },
  ],
  ['cursor', 'result', { type: 'result', subtype: 'success', is_error: false, result: 'Done' }],
  ['opencode', 'session', part('step_start', { type: 'step-start' })],
  ['opencode', 'text', part('text', { type: 'text', text: 'Hi' }), 'results of a line'],
  [
    'opencode',
    'tool',
    part('tool_use', {
      type: 'tool',
      tool: 'bash',
      callID: 'c',
      state: { status: 'completed', input: { command: 'ls' }, output: '' },
    }),
    'results of a line',
  ],
  [
    'opencode',
    'running tool',
    { type: 'tool_use', part: { type: 'tool', tool: 'bash', state: { status: 'running', input: {} } } },
    'tool calls',
  ],
  ['opencode', 'error', { type: 'error', error: { data: { message: 'Bad' } } }],
  ['copilot', 'text', { type: 'assistant.message_delta', data: { messageId: 'm', deltaContent: 'Hi' } }],
  [
    'copilot',
    'bash',
    {
      type: 'tool.execution_start',
      data: { toolCallId: 'c', toolName: 'bash', arguments: { command: 'ls' } },
    },
    'tool calls',
  ],
  [
    'copilot',
    'message',
    { type: 'assistant.message', data: { messageId: 'm', content: 'Done' } },
    'results of a line',
  ],
  ['pi', 'session', { type: 'session', id: 's1' }],
  [
    'pi',
    'text',
    { type: 'message_update', assistantMessageEvent: { type: 'text_delta', contentIndex: 0, delta: 'Hi' } },
  ],
  ['pi', 'thinking', { type: 'message_update', assistantMessageEvent: { type: 'thinking_start' } }],
  [
    'pi',
    'tool',
    { type: 'tool_execution_start', toolCallId: 'c', toolName: 'bash', args: { command: 'ls' } },
    'tool calls',
  ],
];

/** Every parser receives these lines. */
const NOISE: readonly string[] = ['', 'plain words', '{', '[]', 'null', '{"type":"unknown"}', ' {"type":'];

const MODEL = 'a-model';
const PROMPT = 'Do it.';

/** Creates the cases. */
export function streamCases(): OracleCase[] {
  const parse = (library: typeof ours | typeof theirs, agent: AgentName, line: string): unknown =>
    library[agent](MODEL).parseStreamLine(line);
  const lines = LINES.map(([agent, name, value, differs]): OracleCase => ({
    input: `${agent}() reads ${name}`,
    theirs: () => parse(theirs, agent, JSON.stringify(value)),
    ours: () => parse(ours, agent, JSON.stringify(value)),
    ...(differs !== undefined && { differs }),
  }));
  const noise = AGENTS.map((agent): OracleCase => ({
    input: `${agent}() reads lines without an event`,
    theirs: () => NOISE.map((line) => parse(theirs, agent, line)),
    ours: () => NOISE.map((line) => parse(ours, agent, line)),
  }));
  return [...lines, ...noise, ...AGENTS.flatMap(propertyCases)];
}

function propertyCases(agent: AgentName): OracleCase[] {
  const of = (
    call: (library: typeof ours | typeof theirs) => unknown,
  ): Pick<OracleCase, 'theirs' | 'ours'> => ({
    theirs: () => call(theirs),
    ours: () => call(ours),
  });
  const options = { prompt: PROMPT, dangerouslySkipPermissions: true };
  const isNew = agent === 'opencode' || agent === 'copilot';
  return [
    { input: `${agent}() has a name`, ...of((library) => library[agent](MODEL).name) },
    {
      input: `${agent}() has an environment`,
      ...of((library) => library[agent](MODEL, { env: { A: '1' } }).env),
    },
    {
      input: `${agent}() captures sessions`,
      ...of((library) => library[agent](MODEL).captureSessions),
      ...(isNew && { differs: 'sessions of OpenCode and Copilot' as const }),
    },
    {
      input: `${agent}() sends the prompt on stdin`,
      ...of((library) => library[agent](MODEL).buildPrintCommand(options).stdin),
      ...(isNew && { differs: 'command lines' as const }),
    },
    {
      input: `${agent}() has interactive arguments`,
      ...of((library) => library[agent](MODEL).buildInteractiveArgs?.(options)),
      ...(agent !== 'cursor' && agent !== 'pi' && { differs: 'command lines' as const }),
    },
  ];
}
