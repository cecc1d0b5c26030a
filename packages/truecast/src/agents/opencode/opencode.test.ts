import { expect, test } from 'vitest';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import type { AgentCommandOptions, AgentEvent } from '../../ports/agent-provider.ts';
import { opencode, type OpenCodeOptions } from './opencode.ts';

const prompted: AgentCommandOptions = { prompt: 'Fix it.', dangerouslySkipPermissions: false };
const RUN = "opencode run --format json --thinking --title ''";
const CONFIG = 'OPENCODE_CONFIG_CONTENT';
const OWN_CONFIG = 'TRUECAST_OPENCODE_CONFIG';

const COMMANDS: readonly [
  string,
  string | undefined,
  OpenCodeOptions,
  Partial<AgentCommandOptions>,
  string,
][] = [
  ['nothing else', undefined, {}, {}, RUN],
  [
    'model, variant and agent',
    'anthropic/claude-sonnet-4-6',
    { variant: 'high', agent: 'plan' },
    {},
    `${RUN} --model anthropic/claude-sonnet-4-6 --agent plan --variant high`,
  ],
  [
    'no questions',
    undefined,
    {},
    { dangerouslySkipPermissions: true },
    `${RUN} --dangerously-skip-permissions`,
  ],
  ['a session', undefined, {}, { resumeSession: 'ses_1' }, `${RUN} --session ses_1`],
  ['a fork', undefined, {}, { resumeSession: 'ses_1', forkSession: true }, `${RUN} --session ses_1 --fork`],
];

test.each(COMMANDS)('the command line holds %s', (_case, model, options, asked, expected) => {
  expect(opencode(model, options).buildPrintCommand({ ...prompted, ...asked })).toEqual({
    command: expected,
    stdin: 'Fix it.',
    env: { OPENCODE_DISABLE_AUTOUPDATE: '1' },
  });
});

function configOf(value: string | undefined): unknown {
  return value === undefined ? undefined : JSON.parse(value);
}

test("the caller's provider is passed with its model and key name, and the proxy replaces its base URL", () => {
  const agent = opencode('local/org/llama:8b', {
    baseURL: 'http://127.0.0.1:11434/v1',
    env: { OPENAI_API_KEY: 'sk-secret' },
  });
  const provider = (baseURL: string): unknown => ({
    local: {
      npm: '@ai-sdk/openai-compatible',
      name: 'local',
      options: { baseURL, apiKey: '{env:OPENAI_API_KEY}' },
      models: { 'org/llama:8b': { name: 'org/llama:8b' } },
    },
  });
  const own = { provider: provider('http://127.0.0.1:11434/v1') };
  expect(configOf(agent.env[CONFIG])).toEqual(own);
  expect(configOf(agent.buildPrintCommand(prompted).env?.[OWN_CONFIG])).toEqual(own);
  const proxied = agent.buildPrintCommand({ ...prompted, modelBaseUrl: 'http://127.0.0.1:8080' });
  expect(configOf(proxied.env?.[OWN_CONFIG])).toEqual({ provider: provider('http://127.0.0.1:8080') });
});

test("an MCP server is added to the caller's configuration", () => {
  const given = { model: 'x/y', mcp: { mine: { type: 'remote', url: 'http://127.0.0.1:1' } } };
  const agent = opencode(undefined, { env: { [CONFIG]: JSON.stringify(given) } });
  const { command, env } = agent.buildPrintCommand({
    ...prompted,
    mcpServer: { name: 'truecast', command: '/bin/node', args: ['a b'] },
  });
  expect(command).toBe(`OPENCODE_CONFIG_CONTENT="$TRUECAST_OPENCODE_CONFIG" ${RUN}`);
  expect(configOf(env?.[OWN_CONFIG])).toEqual({
    model: 'x/y',
    mcp: {
      ...given.mcp,
      truecast: { type: 'local', command: ['/bin/node', 'a b'], enabled: true },
    },
  });
  expect(configOf(agent.env[CONFIG])).toEqual(given);
});

test('a configuration that cannot be merged is refused, but only where it must be', () => {
  const env = { [CONFIG]: '{ /* mine */ }' };
  expect(() => opencode('local/x', { env, baseURL: 'http://127.0.0.1:1/v1' })).toThrow(UsageError);
  expect(opencode('openai/gpt-5.1', { env }).buildPrintCommand(prompted).env).not.toHaveProperty(OWN_CONFIG);
});

test('a base URL of a model that names no provider is refused', () => {
  expect(() => opencode('llama', { baseURL: 'http://127.0.0.1:1/v1' })).toThrow(UsageError);
});

test('interactive arguments end with the prompt, in one argument with its option', () => {
  const args = opencode('openai/gpt-5.1').buildInteractiveArgs?.({ ...prompted, prompt: '-x y' });
  expect(args).toEqual(['opencode', '--model', 'openai/gpt-5.1', '--prompt=-x y']);
  expect(opencode().buildInteractiveArgs?.({ ...prompted, prompt: '' })).toEqual(['opencode']);
});

test.each([
  [
    'anthropic/claude-sonnet-4-6',
    { ANTHROPIC_API_KEY: 'sk-secret' },
    'https://api.anthropic.com/v1',
    { 'x-api-key': 'sk-secret' },
  ],
  [
    'openai/gpt-5.1',
    { OPENAI_API_KEY: 'sk-secret' },
    'https://api.openai.com/v1',
    { authorization: 'Bearer sk-secret' },
  ],
])('the key of %s goes to the proxy, and a placeholder inside', (model, env, upstreamUrl, headers) => {
  const access = opencode(model).modelAccess?.(env);
  expect(access).toMatchObject({ upstreamUrl, headers, secretNames: Object.keys(env) });
  const inside = access?.environment('http://127.0.0.1:8080') ?? {};
  expect(JSON.stringify(inside)).not.toContain('sk-secret');
  expect(inside).toMatchObject({ [Object.keys(env)[0] ?? '']: 'truecast-placeholder' });
  const [provider = ''] = model.split('/');
  const options = { baseURL: 'http://127.0.0.1:8080' };
  expect(configOf(inside[CONFIG])).toEqual({ provider: { [provider]: { options } } });
});

test('has no way to a model without a key, nor to a provider that is not known', () => {
  expect(opencode('openai/gpt-5.1').modelAccess?.({})).toBeUndefined();
  expect(opencode('acme/x').modelAccess?.({ OPENAI_API_KEY: 'sk' })).toBeUndefined();
  expect(opencode().modelAccess?.({ OPENAI_API_KEY: 'sk' })).toBeUndefined();
});

function read(...lines: readonly object[]): readonly AgentEvent[] {
  const parser = opencode().createStreamParser();
  const text = lines.map((line) => JSON.stringify(line)).join('\n');
  return [...parser.push(text), ...parser.end()];
}

const finish = (reason: string, cost: number): object => ({
  type: 'step_finish',
  part: { reason, cost, tokens: { input: 10, output: 2, reasoning: 3, cache: { read: 4, write: 5 } } },
});

test('adds the usage of its steps, thinking counted as output, with a cost only where there is a price', () => {
  const [first, second] = read(finish('tool-calls', 0.5), finish('tool-calls', 0.25));
  expect(first).toEqual({
    type: 'usage',
    usage: {
      inputTokens: 10,
      outputTokens: 5,
      cacheCreationInputTokens: 5,
      cacheReadInputTokens: 4,
      costUsd: 0.5,
    },
  });
  expect(second).toMatchObject({ usage: { inputTokens: 20, outputTokens: 10, costUsd: 0.75 } });
  expect(read(finish('tool-calls', 0))[0]).not.toHaveProperty('usage.costUsd');
});

test('ends with the text of its last step, unless a tool or an error ended it', () => {
  const text = (words: string): object => ({ type: 'text', part: { text: words } });
  const start = { type: 'step_start', part: {} };
  const told = (reason: string): AgentEvent | undefined =>
    read(start, text('a'), finish('tool-calls', 0), start, text('b'), text('c'), finish(reason, 0)).at(-1);
  expect(told('stop')).toEqual({ type: 'end', text: 'bc' });
  expect(told('length')).toEqual({ type: 'end', text: 'bc' });
  expect(told('tool-calls')?.type).toBe('usage');
  expect(told('error')?.type).toBe('usage');
});

test('a failed tool is an error with its reason', () => {
  const state = { status: 'error', input: { command: 'x' }, error: 'denied' };
  expect(read({ type: 'tool_use', part: { tool: 'bash', callID: 'c1', state } })).toEqual([
    { type: 'tool-call', id: 'c1', name: 'bash', input: { command: 'x' } },
    { type: 'tool-result', id: 'c1', output: 'denied', isError: true },
  ]);
});

test('an error without data is reported by its name', () => {
  expect(read({ type: 'error', error: { name: 'ProviderAuthError' } })).toEqual([
    { type: 'error', message: 'ProviderAuthError' },
  ]);
});
