import { expect, test } from 'vitest';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import type { AgentCommandOptions } from '../../ports/agent-provider.ts';
import { claudeCode, type ClaudeCodeOptions } from './claude-code.ts';

const prompted: AgentCommandOptions = { prompt: 'Fix it.', dangerouslySkipPermissions: true };

const COMMANDS: readonly [
  string,
  string | undefined,
  ClaudeCodeOptions,
  Partial<AgentCommandOptions>,
  string,
][] = [
  [
    'nothing else',
    undefined,
    {},
    {},
    'claude --print --verbose --output-format stream-json --dangerously-skip-permissions',
  ],
  [
    'model and effort',
    'claude-opus-4-8',
    { effort: 'xhigh' },
    {},
    'claude --print --verbose --output-format stream-json --dangerously-skip-permissions --model claude-opus-4-8 --effort xhigh',
  ],
  [
    'a permission mode instead of none',
    'opus',
    { permissionMode: 'acceptEdits' },
    {},
    'claude --print --verbose --output-format stream-json --permission-mode acceptEdits --model opus',
  ],
  [
    'permissions as they are',
    'opus',
    {},
    { dangerouslySkipPermissions: false },
    'claude --print --verbose --output-format stream-json --model opus',
  ],
  [
    'a session',
    undefined,
    {},
    { resumeSession: '213b01b2-bdfb-4311-ae8c-278749623d07' },
    'claude --print --verbose --output-format stream-json --dangerously-skip-permissions --resume 213b01b2-bdfb-4311-ae8c-278749623d07',
  ],
  [
    'a fork',
    undefined,
    {},
    { resumeSession: 'a1', forkSession: true },
    'claude --print --verbose --output-format stream-json --dangerously-skip-permissions --resume a1 --fork-session',
  ],
  [
    'a server of tools, allowed and always loaded',
    undefined,
    { permissionMode: 'plan' },
    { mcpServer: { name: 'truecast', command: 'node', args: ['/a b', '/c'] } },
    `claude --print --verbose --output-format stream-json --permission-mode plan '--mcp-config={"mcpServers":{"truecast":{"type":"stdio","command":"node","args":["/a b","/c"],"alwaysLoad":true,"timeout":3600000}}}' '--allowed-tools=mcp__truecast'`,
  ],
  [
    'a schema',
    undefined,
    {},
    {
      jsonSchema: { type: 'object', title: "it's" },
    },
    String.raw`claude --print --verbose --output-format stream-json --dangerously-skip-permissions --json-schema '{"type":"object","title":"it'\''s"}'`,
  ],
  [
    'deltas',
    undefined,
    { streamDeltas: true },
    {},
    'claude --print --verbose --output-format stream-json --include-partial-messages --dangerously-skip-permissions',
  ],
];

test.each(COMMANDS)('the command line holds %s', (_case, model, options, asked, expected) => {
  expect(claudeCode(model, options).buildPrintCommand({ ...prompted, ...asked })).toEqual({
    command: expected,
    stdin: 'Fix it.',
  });
});

test('a model cannot become a flag of the shell', () => {
  expect(claudeCode('x; rm -rf /').buildPrintCommand(prompted).command).toContain("--model 'x; rm -rf /'");
});

test.each(['--print', '../../etc/passwd', '', 'a b', 'x'.repeat(129)])(
  'refuses %j as a session id',
  (resumeSession) => {
    expect(() => claudeCode().buildPrintCommand({ ...prompted, resumeSession })).toThrow(UsageError);
  },
);

test('a schema longer than a command line is refused', () => {
  const jsonSchema = { type: 'object', description: 'x'.repeat(130_000) };
  expect(() => claudeCode().buildPrintCommand({ ...prompted, jsonSchema })).toThrow(
    /make the schema smaller/,
  );
});

test('interactive arguments end with the prompt, behind a mark', () => {
  const agent = claudeCode('opus');
  expect(agent.buildInteractiveArgs?.({ ...prompted, prompt: '-v' })).toEqual([
    'claude',
    '--dangerously-skip-permissions',
    '--model',
    'opus',
    '--',
    '-v',
  ]);
  expect(
    agent.buildInteractiveArgs?.({ prompt: '', dangerouslySkipPermissions: false, resumeSession: 'a1' }),
  ).toEqual(['claude', '--model', 'opus', '--resume', 'a1']);
});

test('the key goes to the proxy, and a placeholder inside', () => {
  const access = claudeCode().modelAccess?.({ ANTHROPIC_API_KEY: 'sk-secret' });
  expect(access?.upstreamUrl).toBe('https://api.anthropic.com');
  expect(access?.headers).toEqual({ 'x-api-key': 'sk-secret' });
  expect(access?.environment('http://127.0.0.1:8080')).toEqual({
    ANTHROPIC_BASE_URL: 'http://127.0.0.1:8080',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    ANTHROPIC_API_KEY: 'truecast-placeholder',
  });
  expect(access?.secretNames).toEqual([
    'ANTHROPIC_API_KEY',
    'ANTHROPIC_AUTH_TOKEN',
    'CLAUDE_CODE_OAUTH_TOKEN',
  ]);
});

test.each(['ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'])('%s goes as a bearer', (name) => {
  const access = claudeCode().modelAccess?.({
    [name]: 'token',
    ANTHROPIC_BASE_URL: 'https://gateway.example',
  });
  expect(access?.upstreamUrl).toBe('https://gateway.example');
  expect(access?.headers).toEqual({ authorization: 'Bearer token' });
  expect(access?.environment('http://x')).toMatchObject({ [name]: 'truecast-placeholder' });
  expect(access?.environment('http://x')).not.toHaveProperty('ANTHROPIC_API_KEY');
});

test("the agent's own environment wins over the host's, and without any key there is no access", () => {
  const agent = claudeCode('opus', { env: { ANTHROPIC_API_KEY: 'own' } });
  expect(agent.modelAccess?.({ ANTHROPIC_API_KEY: 'host' })?.headers).toEqual({ 'x-api-key': 'own' });
  expect(claudeCode().modelAccess?.({ ANTHROPIC_API_KEY: '' })).toBeUndefined();
});

test('it is told to be in a sandbox only there', () => {
  expect(claudeCode().env).toEqual({});
  expect(claudeCode().sandboxEnv).toEqual({ IS_SANDBOX: '1' });
});
