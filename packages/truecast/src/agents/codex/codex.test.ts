import { expect, test } from 'vitest';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import type { AgentCommandOptions, AgentEvent, StreamAgentProvider } from '../../ports/agent-provider.ts';
import { codex, type CodexOptions } from './codex.ts';

const prompted: AgentCommandOptions = { prompt: 'Fix it.', dangerouslySkipPermissions: true };

const COMMANDS: readonly [string, string | undefined, CodexOptions, Partial<AgentCommandOptions>, string][] =
  [
    [
      'nothing else',
      undefined,
      {},
      {},
      "codex exec --json --skip-git-repo-check --dangerously-bypass-approvals-and-sandbox -c 'analytics.enabled=false' -",
    ],
    [
      'model and effort',
      'gpt-5.4',
      { effort: 'high' },
      {},
      `codex exec --json --skip-git-repo-check --dangerously-bypass-approvals-and-sandbox -m gpt-5.4 -c 'model_reasoning_effort="high"' -c 'analytics.enabled=false' -`,
    ],
    [
      'a session and a schema',
      undefined,
      {},
      { resumeSession: '01a1fca5-f3f2-7ea3', jsonSchema: {}, jsonSchemaPath: '/tmp/my schema.json' },
      "codex exec resume 01a1fca5-f3f2-7ea3 --json --skip-git-repo-check --dangerously-bypass-approvals-and-sandbox -c 'analytics.enabled=false' --output-schema '/tmp/my schema.json' -",
    ],
    [
      'a server of tools, approved',
      undefined,
      {},
      { mcpServer: { name: 'truecast', command: 'node', args: ['/a b', '/c'] } },
      `codex exec --json --skip-git-repo-check --dangerously-bypass-approvals-and-sandbox -c 'analytics.enabled=false' -c 'mcp_servers.truecast.command="node"' -c 'mcp_servers.truecast.args=["/a b","/c"]' -c 'mcp_servers.truecast.default_tools_approval_mode="approve"' -c 'mcp_servers.truecast.required=true' -c 'mcp_servers.truecast.startup_timeout_sec=60' -c 'mcp_servers.truecast.tool_timeout_sec=3600' -`,
    ],
    [
      'a fork',
      undefined,
      {},
      { resumeSession: 'a1', forkSession: true },
      "codex exec fork a1 --json --skip-git-repo-check --dangerously-bypass-approvals-and-sandbox -c 'analytics.enabled=false' -",
    ],
    [
      'a reviewer',
      undefined,
      { approvalsReviewer: 'auto_review' },
      {},
      `codex exec --json --skip-git-repo-check -c 'approval_policy="on-request"' -c 'sandbox_mode="danger-full-access"' -c 'approvals_reviewer="auto_review"' -c 'analytics.enabled=false' -`,
    ],
    [
      'a base URL and further settings',
      undefined,
      { baseURL: 'http://127.0.0.1:9/v1', config: { web_search: '"disabled"' } },
      { dangerouslySkipPermissions: false },
      `codex exec --json --skip-git-repo-check -c 'analytics.enabled=false' -c 'model_provider="truecast"' -c 'model_providers.truecast.name="truecast"' -c 'model_providers.truecast.base_url="http://127.0.0.1:9/v1"' -c 'model_providers.truecast.wire_api="responses"' -c 'model_providers.truecast.env_key="OPENAI_API_KEY"' -c 'web_search="disabled"' -`,
    ],
  ];

test.each(COMMANDS)('the command line holds %s', (_case, model, options, asked, expected) => {
  expect(codex(model, options).buildPrintCommand({ ...prompted, ...asked })).toEqual({
    command: expected,
    stdin: 'Fix it.',
  });
});

test('the proxy replaces every other base URL', () => {
  const agent = codex('gpt-5.4', { env: { OPENAI_BASE_URL: 'https://gateway.example/v1' } });
  expect(agent.buildPrintCommand(prompted).command).toContain('base_url="https://gateway.example/v1"');
  const proxied = agent.buildPrintCommand({ ...prompted, modelBaseUrl: 'http://127.0.0.1:8080' }).command;
  expect(proxied).toContain('base_url="http://127.0.0.1:8080"');
  expect(proxied).not.toContain('gateway');
});

test('a schema without a file is refused', () => {
  expect(() => codex().buildPrintCommand({ ...prompted, jsonSchema: {} })).toThrow(UsageError);
});

test('a key is never in the command line', () => {
  const agent = codex('gpt-5.4', { env: { OPENAI_API_KEY: 'sk-secret', OPENAI_BASE_URL: 'http://x' } });
  expect(agent.buildPrintCommand(prompted).command).not.toContain('sk-secret');
  expect(agent.env).toMatchObject({ OPENAI_API_KEY: 'sk-secret', CODEX_API_KEY: 'sk-secret' });
});

test('interactive arguments end with the prompt, behind a mark', () => {
  expect(codex('gpt-5.4').buildInteractiveArgs?.({ ...prompted, resumeSession: 'a1' })).toEqual([
    'codex',
    'resume',
    'a1',
    '--dangerously-bypass-approvals-and-sandbox',
    '-m',
    'gpt-5.4',
    '-c',
    'analytics.enabled=false',
    '--',
    'Fix it.',
  ]);
});

test('the key goes to the proxy, and a placeholder inside', () => {
  const access = codex().modelAccess?.({ OPENAI_API_KEY: 'sk-secret' });
  expect(access?.upstreamUrl).toBe('https://api.openai.com/v1');
  expect(access?.headers).toEqual({ authorization: 'Bearer sk-secret' });
  expect(access?.environment('http://127.0.0.1:8080')).toEqual({ OPENAI_API_KEY: 'truecast-placeholder' });
  expect(access?.secretNames).toEqual(['OPENAI_API_KEY', 'CODEX_API_KEY']);
  expect(codex().modelAccess?.({ OPENAI_API_KEY: '' })).toBeUndefined();
});

const STARTED = '{"type":"thread.started","thread_id":"t1"}\n';

test("a resumed thread's usage is taken since the process began, a fork's since its parent's last turn", () => {
  const agent = codex();
  expect(usageOf(agent, STARTED + completed(200), undefined)).toMatchObject({ inputTokens: 160 });
  expect(usageOf(agent, STARTED + completed(500), 't1')).toMatchObject({
    inputTokens: 240,
    cacheReadInputTokens: 60,
  });
  const forked = '{"type":"thread.started","thread_id":"t2"}\n';
  expect(usageOf(agent, forked + completed(600), 't1')).toMatchObject({ inputTokens: 80, outputTokens: 10 });
});

function completed(tokens: number): string {
  const usage = { input_tokens: tokens, cached_input_tokens: tokens / 5, output_tokens: tokens / 10 };
  return `${JSON.stringify({ type: 'turn.completed', usage })}\n`;
}

function usageOf(agent: StreamAgentProvider, stream: string, resumeSession: string | undefined): unknown {
  const parser = agent.createStreamParser(resumeSession === undefined ? {} : { resumeSession });
  const usage = [...parser.push(stream), ...parser.end()].find((event) => event.type === 'usage');
  return usage?.usage;
}

const MCP_CALL =
  '{"type":"item.completed","item":{"id":"i1","type":"mcp_tool_call","server":"db","tool":"query","arguments":{"sql":"x"},"result":{"content":[{"type":"text","text":"one"},{"type":"image"}]},"error":null,"status":"completed"}}';
const FAILED_COMMAND =
  '{"type":"item.completed","item":{"id":"i2","type":"command_execution","command":"false","aggregated_output":"no","exit_code":1,"status":"failed"}}';

test.each<[string, string, readonly AgentEvent[]]>([
  [
    'an MCP call that is told only once it is done',
    MCP_CALL,
    [
      { type: 'tool-call', id: 'i1', name: 'db.query', input: { sql: 'x' } },
      { type: 'tool-result', id: 'i1', output: 'one\n[image]', isError: false },
    ],
  ],
  [
    'a failed command',
    FAILED_COMMAND,
    [
      { type: 'tool-call', id: 'i2', name: 'command_execution', input: { command: 'false' } },
      { type: 'tool-result', id: 'i2', output: 'no', isError: true },
    ],
  ],
  [
    'a command that completed with another code than 0',
    FAILED_COMMAND.replace('"status":"failed"', '"status":"completed"'),
    [
      { type: 'tool-call', id: 'i2', name: 'command_execution', input: { command: 'false' } },
      { type: 'tool-result', id: 'i2', output: 'no', isError: true },
    ],
  ],
  [
    'a todo list, which says nothing',
    '{"type":"item.completed","item":{"id":"i3","type":"todo_list","items":[]}}',
    [],
  ],
])('reads %s', (_case, line, expected) => {
  const parser = codex().createStreamParser();
  expect([...parser.push(line), ...parser.end()]).toEqual(expected);
});
