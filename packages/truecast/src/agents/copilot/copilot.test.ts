import { expect, test } from 'vitest';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import type { AgentCommandOptions } from '../../ports/agent-provider.ts';
import { copilot, type CopilotOptions } from './copilot.ts';

const prompted: AgentCommandOptions = { prompt: 'Fix it.', dangerouslySkipPermissions: true };
const BEGIN = 'copilot --output-format json --no-auto-update';
const UUID = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/gu;

function build(
  model: string | undefined,
  options: CopilotOptions,
  asked: Partial<AgentCommandOptions>,
): readonly string[] {
  const { command, stdin } = copilot(model, options).buildPrintCommand({ ...prompted, ...asked });
  expect(stdin).toBe('Fix it.');
  return command.replaceAll(UUID, 'NEW').split('; ');
}

const COMMANDS: readonly [
  string,
  string | undefined,
  CopilotOptions,
  Partial<AgentCommandOptions>,
  string,
][] = [
  ['nothing else', undefined, {}, {}, `${BEGIN} --allow-all`],
  ['no permissions', undefined, {}, { dangerouslySkipPermissions: false }, BEGIN],
  [
    'model and effort',
    'gpt-5.4',
    { effort: 'high' },
    {},
    `${BEGIN} --allow-all --model gpt-5.4 --reasoning-effort high`,
  ],
  [
    'a server of tools, allowed by its name',
    undefined,
    {},
    { mcpServer: { name: 'answers', command: '/bin/serve', args: ["it's"] } },
    `${BEGIN} --allow-all '--additional-mcp-config={"mcpServers":{"answers":{"type":"local","command":"/bin/serve","args":["it'\\''s"],"tools":["*"],"timeout":3600000}}}' '--allow-tool=answers'`,
  ],
];

test.each(COMMANDS)('the command line holds %s', (_case, model, options, asked, expected) => {
  expect(build(model, options, asked)).toEqual([
    'truecast=$(mktemp -d) && trap \'rm -rf "$truecast"\' EXIT || exit',
    `printf '%s\\n' '{"type":"session.start","data":{"sessionId":"NEW"}}'`,
    `${expected} '--session-id=NEW' --usage-output-file "$truecast/usage.json"`,
    'code=$?',
    `if [ -s "$truecast/usage.json" ]`,
    `then tr -d '\\n' < "$truecast/usage.json"`,
    'echo',
    'fi',
    'exit "$code"',
  ]);
});

const USED = `grep -F '"type":"session.usage_record"' "$sessions"/a1/events.jsonl 2>/dev/null`;

test('a session resumes in this directory, after its earlier usage', () => {
  expect(build(undefined, {}, { resumeSession: 'a1' }).slice(1, 5)).toEqual([
    'sessions="${COPILOT_HOME:-$HOME/.copilot}/session-state"',
    USED,
    `printf '%s\\n' '{"type":"session.start","data":{"sessionId":"a1"}}'`,
    `${BEGIN} --allow-all '--resume=a1' -C . --usage-output-file "$truecast/usage.json"`,
  ]);
});

test('a fork continues a copy of the events, under a new id', () => {
  expect(build(undefined, {}, { resumeSession: 'a1', forkSession: true }).slice(2, 6)).toEqual([
    `mkdir -p "$sessions"/NEW && sed 's/a1/NEW/g' "$sessions"/a1/events.jsonl > "$sessions"/NEW/events.jsonl || exit`,
    USED,
    `printf '%s\\n' '{"type":"session.start","data":{"sessionId":"NEW"}}'`,
    `${BEGIN} --allow-all '--resume=NEW' -C . --usage-output-file "$truecast/usage.json"`,
  ]);
});

test('a session id that could be anything else is refused', () => {
  expect(() => copilot().buildPrintCommand({ ...prompted, resumeSession: '../x' })).toThrow(UsageError);
});

test('on a terminal it is given its prompt, even one that begins with a hyphen', () => {
  const args = copilot('m').buildInteractiveArgs?.({ prompt: '-x', dangerouslySkipPermissions: false });
  expect(args).toEqual(['copilot', '--no-auto-update', '--model', 'm', '--interactive=-x']);
  expect(copilot().buildInteractiveArgs?.({ prompt: '', dangerouslySkipPermissions: true })).toEqual([
    'copilot',
    '--no-auto-update',
    '--allow-all',
  ]);
});

const SERVICE = { COPILOT_PROVIDER_BASE_URL: 'https://models.example/v1', COPILOT_PROVIDER_API_KEY: 'sk' };

test('the key goes to the proxy, and a placeholder inside, beside what the service is', () => {
  const access = copilot('m', { env: { COPILOT_PROVIDER_WIRE_API: 'responses' } }).modelAccess?.(SERVICE);
  expect(access?.upstreamUrl).toBe('https://models.example/v1');
  expect(access?.headers).toEqual({ authorization: 'Bearer sk' });
  expect(access?.environment('http://127.0.0.1:8080')).toEqual({
    COPILOT_PROVIDER_BASE_URL: 'http://127.0.0.1:8080',
    COPILOT_PROVIDER_API_KEY: 'truecast-placeholder',
    COPILOT_PROVIDER_WIRE_API: 'responses',
    COPILOT_OFFLINE: 'true',
  });
  expect(access?.secretNames).toContain('COPILOT_PROVIDER_API_KEY');
});

test.each([
  ['anthropic', { COPILOT_PROVIDER_TYPE: 'anthropic' }, { 'x-api-key': 'sk' }],
  ['azure', { COPILOT_PROVIDER_TYPE: 'azure' }, { 'api-key': 'sk' }],
  ['a bearer token', { COPILOT_PROVIDER_BEARER_TOKEN: 'tok' }, { authorization: 'Bearer tok' }],
  [
    'headers of a gateway',
    { COPILOT_PROVIDER_HEADERS: 'X-Gateway-Key: a:b\\nX-Team: c' },
    { authorization: 'Bearer sk', 'x-gateway-key': 'a:b', 'x-team': 'c' },
  ],
  ['no key', { COPILOT_PROVIDER_API_KEY: '' }, {}],
])('logs in for %s as the CLI does', (_case, env, headers) => {
  expect(copilot('m').modelAccess?.({ ...SERVICE, ...env })?.headers).toEqual(headers);
});

test.each([
  ['Copilot’s own service', { COPILOT_GITHUB_TOKEN: 'gh' }],
  ['a key that a command makes anew', { ...SERVICE, COPILOT_PROVIDER_API_KEY_COMMAND: 'print-key' }],
])('%s is not reached without a network', (_case, env) => {
  expect(copilot('m').modelAccess?.(env)).toBeUndefined();
});

const parse = (...lines: readonly object[]) => {
  const parser = copilot().createStreamParser();
  return [...parser.push(lines.map((line) => `${JSON.stringify(line)}\n`).join('')), ...parser.end()];
};

test('a whole message emits only the remainder of its deltas, and sub-agents emit nothing', () => {
  const delta = { messageId: 'm', deltaContent: 'Hel' };
  expect(
    parse(
      { type: 'assistant.message_delta', data: delta },
      { type: 'assistant.message_delta', agentId: 'sub', data: { ...delta, deltaContent: 'x' } },
      { type: 'assistant.message', data: { messageId: 'm', content: 'Hello' } },
      { type: 'assistant.message', data: { messageId: 'n', content: 'Hello' } },
    ),
  ).toEqual([
    { type: 'text', text: 'Hel' },
    { type: 'text', text: 'lo' },
    { type: 'text', text: 'Hello' },
  ]);
});

test('a recovered failure is not reported', () => {
  const failed = { type: 'session.error', data: { message: 'slow', statusCode: 429 } };
  const session = { type: 'session', sessionId: 's' };
  expect(parse(failed, { type: 'result', sessionId: 's', exitCode: 0 })).toEqual([session, { type: 'end' }]);
  const failure = { type: 'error', message: 'slow', statusCode: 429 };
  expect(parse(failed, { type: 'result', sessionId: 's', exitCode: 1 })).toEqual([session, failure]);
  expect(parse(failed)).toEqual([failure]);
});

test('a session is reported as soon as it is known, and once', () => {
  const start = { type: 'session.start', data: { sessionId: 's' } };
  const result = { type: 'result', sessionId: 's', exitCode: 0 };
  expect(parse(start)).toEqual([{ type: 'session', sessionId: 's' }]);
  expect(parse(start, result)).toEqual([{ type: 'session', sessionId: 's' }, { type: 'end' }]);
});
