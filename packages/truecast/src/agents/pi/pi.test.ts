import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import type { AgentCommandOptions, AgentEvent } from '../../ports/agent-provider.ts';
import { pi, type PiOptions } from './pi.ts';

let folder: string;
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'truecast-pi-'))));
afterEach(() => rm(folder, { recursive: true }));

/** A `pi` that loads its last argument as an extension, beside a package of this version. */
async function fakePi(version: string | undefined): Promise<string> {
  const own = join(folder, 'node_modules/@mariozechner/pi-coding-agent');
  await mkdir(own, { recursive: true });
  if (version !== undefined) {
    await writeFile(join(own, 'package.json'), '{"type":"module","exports":"./index.js"}');
    await writeFile(join(own, 'index.js'), `export const VERSION = ${JSON.stringify(version)};`);
  }
  const load = `import { copyFileSync } from 'node:fs'; copyFileSync(process.argv.at(-1), '${folder}/own.mjs');
const { default: extend } = await import('${folder}/own.mjs');
await extend({ registerProvider: (...all) => console.log(JSON.stringify(all)) });`;
  await writeFile(join(folder, 'load.mjs'), load);
  await writeFile(join(folder, 'pi'), `#!/bin/sh\nexec '${process.execPath}' '${folder}/load.mjs' "$@"\n`, {
    mode: 0o755,
  });
  return `${folder}${delimiter}${process.env['PATH'] ?? ''}`;
}

const prompted: AgentCommandOptions = { prompt: 'Fix it.', dangerouslySkipPermissions: true };

const COMMANDS: readonly [string, string | undefined, PiOptions, Partial<AgentCommandOptions>, string][] = [
  ['nothing else', undefined, {}, {}, 'pi --print --mode json'],
  [
    'model and thinking',
    'anthropic/claude-sonnet-4-6',
    { thinking: 'high' },
    {},
    'pi --print --mode json --model anthropic/claude-sonnet-4-6 --thinking high',
  ],
  ['a session', undefined, {}, { resumeSession: 'a1' }, 'pi --print --mode json --session a1'],
  ['a fork', undefined, {}, { resumeSession: 'a1', forkSession: true }, 'pi --print --mode json --fork a1'],
  [
    "a known provider's other base URL",
    'anthropic/claude-sonnet-4-6',
    {},
    { modelBaseUrl: 'http://127.0.0.1:8080' },
    `truecast=$(mktemp -d) && trap 'rm -rf "$truecast"' EXIT && printf %s 'export default (pi) => pi.registerProvider("anthropic", {"baseUrl":"http://127.0.0.1:8080"});' > "$truecast/model-service.ts" && pi --print --mode json --model anthropic/claude-sonnet-4-6 --extension "$truecast/model-service.ts"`,
  ],
];

test.each(COMMANDS)('the command line holds %s', (_case, model, options, asked, expected) => {
  expect(pi(model, options).buildPrintCommand({ ...prompted, ...asked })).toEqual({
    command: expected,
    stdin: 'Fix it.',
  });
});

test("the caller's provider is passed with its model and key name, and the proxy replaces its base URL", () => {
  const agent = pi("local/it's:8b", {
    baseURL: 'http://127.0.0.1:11434/v1',
    env: { OPENAI_API_KEY: 'sk-secret' },
  });
  const { command } = agent.buildPrintCommand(prompted);
  expect(command).toContain('"baseUrl":"http://127.0.0.1:11434/v1"');
  expect(command).toContain(`"id":"it'\\''s:8b"`);
  expect(command).toContain('? "OPENAI_API_KEY" : "$OPENAI_API_KEY"');
  expect(command).not.toContain('sk-secret');
  const proxied = agent.buildPrintCommand({ ...prompted, modelBaseUrl: 'http://127.0.0.1:8080' });
  expect(proxied.command).toContain('"baseUrl":"http://127.0.0.1:8080"');
  expect(proxied.command).not.toContain('11434');
});

test.each([
  ['0.73.1', 'sk', 'OPENAI_API_KEY'],
  ['0.76.9', 'sk', 'OPENAI_API_KEY'],
  ['0.9.0', 'sk', 'OPENAI_API_KEY'],
  ['0.77.0', 'sk', '$OPENAI_API_KEY'],
  ['0.100.0', 'sk', '$OPENAI_API_KEY'],
  ['1.5.2', 'sk', '$OPENAI_API_KEY'],
  [undefined, 'sk', '$OPENAI_API_KEY'],
  ['0.73.1', undefined, 'no-key'],
  ['1.5.2', undefined, 'no-key'],
])('Pi %s with the key %s is given the key as %s', async (version, key, expected) => {
  const agent = pi('local/x', { baseURL: 'http://127.0.0.1:1/v1' });
  const { stdout } = await execa('sh', ['-c', agent.buildPrintCommand(prompted).command], {
    input: '',
    env: { PATH: await fakePi(version), OPENAI_API_KEY: key },
  });
  expect(JSON.parse(stdout)).toMatchObject(['local', { apiKey: expected, baseUrl: 'http://127.0.0.1:1/v1' }]);
});

test.each([undefined, 'sonnet', '/x', 'local/'])(
  'a base URL of the model %j, which names no provider, is refused',
  (model) => {
    expect(() => pi(model, { baseURL: 'http://127.0.0.1:1/v1' })).toThrow(UsageError);
  },
);

test('interactive arguments end with the prompt, which is no option and no file', () => {
  expect(pi('openai/gpt-5.1').buildInteractiveArgs?.({ ...prompted, prompt: '-x' })).toEqual([
    'pi',
    '--model',
    'openai/gpt-5.1',
    ' -x',
  ]);
  expect(pi().buildInteractiveArgs?.({ ...prompted, prompt: '@x' })).toEqual(['pi', ' @x']);
  const proxied = pi('openai/gpt-5.1').buildInteractiveArgs?.({ ...prompted, modelBaseUrl: 'http://a' });
  expect(proxied?.slice(0, 2)).toEqual(['sh', '-c']);
  expect(proxied?.[2]).toMatch(/&& "\$0" "\$@" --extension "\$truecast\/model-service\.ts"$/u);
  expect(proxied?.slice(3)).toEqual(['pi', '--model', 'openai/gpt-5.1', 'Fix it.']);
});

test('the key goes to the proxy, and a placeholder inside', () => {
  const access = pi('anthropic/claude-sonnet-4-6').modelAccess?.({ ANTHROPIC_API_KEY: 'sk-secret' });
  expect(access?.upstreamUrl).toBe('https://api.anthropic.com');
  expect(access?.headers).toEqual({ 'x-api-key': 'sk-secret' });
  expect(access?.environment('http://127.0.0.1:8080')).toEqual({
    ANTHROPIC_API_KEY: 'truecast-placeholder',
    PI_OFFLINE: '1',
  });
  expect(access?.secretNames).toContain('ANTHROPIC_OAUTH_TOKEN');
});

test('a server of the caller needs no key', () => {
  const access = pi('local/x', { baseURL: 'http://127.0.0.1:11434/v1' }).modelAccess?.({});
  expect(access).toMatchObject({ upstreamUrl: 'http://127.0.0.1:11434/v1', headers: {} });
});

test.each([
  ['a known provider without its key', 'openai/gpt-5.1', {}],
  ['a provider that is not known', 'acme/x', { OPENAI_API_KEY: 'sk' }],
  ['a pattern', 'sonnet', { ANTHROPIC_API_KEY: 'sk' }],
])('has no way to the model of %s', (_case, model, env) => {
  expect(pi(model).modelAccess?.(env)).toBeUndefined();
});

function read(...lines: readonly unknown[]): readonly AgentEvent[] {
  const parser = pi().createStreamParser();
  const text = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n');
  return [...parser.push(text), ...parser.end()];
}

const delta = (text: string, type = 'text_delta'): unknown => ({
  type: 'message_update',
  assistantMessageEvent: { type, contentIndex: 0, delta: text },
});
const ended = (text: string, fields: object = {}): unknown => ({
  type: 'message_end',
  message: { role: 'assistant', content: [{ type: 'text', text }], ...fields },
});
const usage = (total: number): object => ({
  usage: { input: 10, output: 2, cacheRead: 3, cacheWrite: 4, cost: { total } },
});

test('emits each text once: its deltas, then only the remainder of the whole', () => {
  const told = read(delta('a "b\\'), delta('\nc'), ended('a "b\\\ncd'), { type: 'agent_end' });
  expect(told).toEqual([
    { type: 'text', text: 'a "b\\' },
    { type: 'text', text: '\nc' },
    { type: 'text', text: 'd' },
    { type: 'end', text: 'a "b\\\ncd' },
  ]);
});

test("emits the deltas of today's Pi, whose lines begin with the usage", () => {
  const update = (delta: string): unknown => ({
    type: 'message_update',
    usage: { input: 1, cost: { input: 0, total: 0 }, totalTokens: 1 },
    assistantMessageEvent: { type: 'text_delta', contentIndex: 0, delta },
  });
  expect(read(update('a'), update('b'), ended('abc'))).toEqual([
    { type: 'text', text: 'a' },
    { type: 'text', text: 'b' },
    { type: 'text', text: 'c' },
  ]);
});

test('emits a text with unreadable deltas when its message ends', () => {
  const other = `{"assistantMessageEvent":{"type":"text_delta","delta":"a"},"type":"message_update"}`;
  const cut =
    '{"type":"message_update","assistantMessageEvent":{"type":"text_delta","contentIndex":0,"delta":"a';
  expect(read(other, cut, ended('a'))).toEqual([{ type: 'text', text: 'a' }]);
});

test('adds the usage of its messages, with a cost only where there is a price', () => {
  const told = read(ended('', { ...usage(0.5), model: 'm' }), ended('', usage(0.25)));
  expect(told).toEqual([
    {
      type: 'usage',
      usage: {
        inputTokens: 10,
        outputTokens: 2,
        cacheCreationInputTokens: 4,
        cacheReadInputTokens: 3,
        costUsd: 0.5,
      },
      model: 'm',
    },
    {
      type: 'usage',
      usage: {
        inputTokens: 20,
        outputTokens: 4,
        cacheCreationInputTokens: 8,
        cacheReadInputTokens: 6,
        costUsd: 0.75,
      },
    },
  ]);
  expect(read(ended('', usage(0)))[0]).not.toHaveProperty('usage.costUsd');
});

test('an error is reported when no retry follows, and not when a retry succeeded', () => {
  const failed = ended('', { stopReason: 'error', errorMessage: '503 overloaded' });
  const retry = { type: 'auto_retry_start', attempt: 1, maxAttempts: 3, errorMessage: '503 overloaded' };
  const end = { type: 'agent_end' };
  const warning = { type: 'warning', message: expect.stringContaining('503 overloaded') };
  expect(read(failed, end)).toEqual([{ type: 'error', message: '503 overloaded', statusCode: 503 }]);
  expect(read(failed, end, retry, failed, end, { type: 'auto_retry_end', success: false })).toEqual([
    warning,
    { type: 'error', message: '503 overloaded', statusCode: 503 },
  ]);
  const mended = [retry, ended('ok'), end, { type: 'auto_retry_end', success: true }];
  expect(read(failed, end, ...mended)).toEqual([
    warning,
    { type: 'text', text: 'ok' },
    { type: 'end', text: 'ok' },
  ]);
});

test('an error without a status has none', () => {
  const failed = ended('', { stopReason: 'error', errorMessage: 'Connection error.' });
  expect(read(failed, { type: 'agent_end' })).toEqual([{ type: 'error', message: 'Connection error.' }]);
});
