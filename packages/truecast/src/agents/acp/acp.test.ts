import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { Output } from '@truecast/core/internal/output/output';
import { withBundledBridge } from '../../../../../test/bundled-bridge.ts';
import { bundledHost } from '../../../../../test/bundled-host.ts';
import { localIsolatedSandbox } from '../../../../testing/src/local-isolated-sandbox.ts';
import { cleanUp, newRepository, plainGit, temporaryFolder } from '../../git/test-repository.ts';
import { run } from '../../run/run.ts';
import type { RunOptions } from '../../run/options/run-options.ts';
import { noSandbox } from '../../sandboxes/no-sandbox.ts';
import { acp, type AcpOptions } from './acp.ts';
import { bridgePrompt } from './bridge.ts';
import type { BridgeRequest } from './bridge-request.ts';
import { createBridgeStreamParser } from './bridge-stream.ts';
import type { AgentEvent } from '../../ports/agent-provider.ts';

afterEach(cleanUp);

const PROGRAM = await bundledHost(new URL('./test-acp-agent.ts', import.meta.url));

/** A sandbox has its own environment. Without the cache, the bridge and the agent are compiled at each start. */
const CACHE = { NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '' };

/** Returns the test agent with the given capabilities. */
function testAgent(can = '', options: Partial<AcpOptions> = {}) {
  const env = { ACP_CAN: can, ACP_STORE: join(temporaryFolder(), 'store'), ...options.env };
  const command = [process.execPath, PROGRAM];
  return withBundledBridge(acp({ command, node: process.execPath, ...options, env }));
}

function runAgent(prompt: string, options: Partial<RunOptions> = {}) {
  const asked: RunOptions = {
    agent: testAgent(),
    sandbox: noSandbox(),
    branchStrategy: { type: options.sandbox?.tag === 'isolated' ? 'merge-to-head' : 'head' },
    cwd: newRepository(),
    prompt,
    ...options,
  };
  return run(asked);
}

/**
 * Asks the test agent alone, with the bridge in this process: the request that `acp()` makes, and the events
 * that it reads.
 */
async function eventsOf(
  prompt: string,
  can = '',
  { isContained, ...options }: Partial<AcpOptions> & { readonly isContained?: boolean } = {},
): Promise<readonly AgentEvent[]> {
  const { buildPrintCommand, env } = testAgent(can, options);
  const contained = isContained === undefined ? {} : { isContained };
  const { stdin = '' } = buildPrintCommand({ prompt, dangerouslySkipPermissions: true, ...contained });
  const begin = stdin.indexOf('\n') + 1;
  const request = Buffer.from(stdin.slice(begin))
    .subarray(Number(stdin.slice(0, begin)))
    .toString();
  const parser = createBridgeStreamParser();
  const events: AgentEvent[] = [];
  const cwd = process.cwd();
  // In its open mode, the agent commits where it is started.
  process.chdir(newRepository());
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  try {
    await bridgePrompt(JSON.parse(request) as BridgeRequest, (line) => {
      events.push(...parser.push(`${JSON.stringify(line)}\n`));
    });
  } finally {
    vi.unstubAllEnvs();
    process.chdir(cwd);
  }
  return events;
}

/** Returns the text of these events, or the message of the error. */
async function ask(...asked: Parameters<typeof eventsOf>): Promise<string> {
  return (await eventsOf(...asked))
    .map((event) => (event.type === 'text' ? event.text : event.type === 'error' ? event.message : ''))
    .join('');
}

/** Environment that the adapter adds to the one of its caller. */
function envOf(options: AcpOptions, asked = {}): unknown {
  return acp(options).buildPrintCommand({ prompt: 'p', dangerouslySkipPermissions: true, ...asked }).env;
}

describe('acp()', () => {
  it('reports text, thinking, tools with results, usage and cost, and the commit author', async () => {
    const events: AgentEvent[] = [];
    const running = runAgent('work', { agent: testAgent('modes') });
    for await (const event of running) events.push(event as AgentEvent);
    const { stdout, commits, usage, iterations, warnings } = await running;
    expect(stdout).toBe('worked');
    expect(commits).toHaveLength(1);
    // Without a commit, the reply contains its mode.
    expect(warnings).toEqual([]);
    expect(usage).toEqual({
      inputTokens: 5,
      outputTokens: 3,
      cacheCreationInputTokens: 0,
      cacheReadInputTokens: 1,
      costUsd: 0.25,
    });
    expect(iterations[0]?.sessionId).toBe('s');
    expect(events).toContainEqual(expect.objectContaining({ type: 'thinking', text: 'hm' }));
    expect(events).toContainEqual(
      expect.objectContaining({
        type: 'tool-call',
        id: '1',
        name: 'Commit',
        input: { command: 'git commit' },
      }),
    );
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'tool-result', id: '1', output: 'done', isError: false }),
    );
  });

  it('joins words that come in pieces, of any length', async () => {
    const long = 'é😀'.repeat(100_000);
    expect((await runAgent(`say a|b|${long}`)).stdout).toBe(`ab${long}`);
  });

  it('gives leave for once in a run', async () => {
    expect(await ask('ask')).toBe('yes');
  });

  it('refuses leave where permissions are not skipped', () => {
    const { stdin } = testAgent().buildPrintCommand({ prompt: 'p', dangerouslySkipPermissions: false });
    expect(stdin).toContain('"grantsPermissions":false');
  });

  it('loads the tools of a server at once with Claude, unless the caller decides', () => {
    const mcpServer = { name: 'truecast', command: 'node', args: [] };
    expect(envOf({ preset: 'claude-acp' }, { mcpServer })).toEqual({ ENABLE_TOOL_SEARCH: 'false' });
    expect(envOf({ preset: 'claude-acp' })).toEqual({});
    expect(envOf({ preset: 'claude-acp', env: { ENABLE_TOOL_SEARCH: 'auto' } }, { mcpServer })).toEqual({});
    expect(envOf({ preset: 'kimi' }, { mcpServer })).toEqual({});
  });

  it('Gemini CLI and Qwen Code load themselves once, unless the caller decides', () => {
    expect(envOf({ preset: 'gemini-acp' })).toEqual({ GEMINI_CLI_NO_RELAUNCH: 'true' });
    expect(envOf({ preset: 'qwen-code' })).toEqual({ QWEN_CODE_NO_RELAUNCH: 'true' });
    expect(envOf({ preset: 'qwen-code', env: { QWEN_CODE_NO_RELAUNCH: '' } })).toEqual({});
  });

  it('works in an isolated sandbox, with its environment and the requested model', async () => {
    const { stdout } = await runAgent('tell', {
      agent: testAgent('', { model: 'large' }),
      sandbox: localIsolatedSandbox({ env: { ...CACHE, MORE: '1' } }),
    });
    const said: unknown = JSON.parse(stdout);
    const cwd = expect.stringMatching(/truecast-machine-.*work tree$/u) as unknown;
    expect(said).toMatchObject({ cwd, model: 'large' });
  });

  it('logs in with `authMethod`, sets a named mode, and lists the methods without one', async () => {
    expect(await ask('guarded', 'login,modes', { authMethod: 'key', mode: 'plan' })).toBe('plan');
    expect(await ask('say in', 'login')).toMatch(/`authMethod` to one of `key`/u);
  });

  it('logs in by the method of its preset, only where the agent requires a login', async () => {
    const options = { preset: 'codex-acp', command: [process.execPath, PROGRAM] } as const;
    // The test agent has another method.
    expect(await ask('say in', 'login', options)).toMatch(/`authMethod` to one of `key`/u);
    expect(await ask('say in', 'login,api-key', options)).toBe('in');
    expect(await ask('say in', 'api-key,no-login', options)).toBe('in');
  });

  it('refuses an unknown preset, with the known ones', () => {
    for (const preset of ['qwen', 'toString', 7]) {
      expect(() => acp({ preset } as never)).toThrow(/`preset` to be one of qwen-code, kimi/u);
    }
  });

  it('refuses to be made without a command', () => {
    for (const command of ['', ' ', []]) expect(() => acp({ command })).toThrow(UsageError);
  });
});

describe('a mode', () => {
  const inSandbox = { sandbox: localIsolatedSandbox({ env: CACHE }) };

  it.each(['modes', 'mode-option'])(
    'is the most open one of the %s in a sandbox: commits come',
    async (can) => {
      const { stdout, commits, warnings } = await runAgent('guarded', {
        agent: testAgent(can),
        ...inSandbox,
      });
      expect(stdout).toBe('yolo');
      expect(commits).toHaveLength(1);
      expect(warnings).toEqual([]);
    },
  );

  it("is the agent's own without a sandbox, and a run without a commit names the open one", async () => {
    const { stdout, commits, warnings } = await runAgent('guarded', { agent: testAgent('modes') });
    expect(stdout).toBe('ask');
    expect(commits).toEqual([]);
    expect(warnings).toEqual([expect.stringMatching(/no commit in its mode `ask`.* set `mode: 'yolo'`/u)]);
  });

  it('is set by the end of its name', async () => {
    expect(await ask('guarded', 'modes', { mode: 'autopilot' })).toBe(
      'https://example.invalid/modes#autopilot',
    );
  });

  it('that is named is set in a sandbox too, whose default is another', async () => {
    expect(await ask('guarded', 'modes', { mode: 'plan', isContained: true })).toBe('plan');
  });

  it('that is not offered is refused with those that are', async () => {
    expect(await ask('guarded', 'modes', { mode: 'yol' })).toMatch(
      /does not offer the mode `yol`.* one of `ask`, `plan`, `yolo`/u,
    );
    expect(await ask('guarded', '', { mode: 'yolo' })).toMatch(/has no modes: leave `mode` out/u);
  });

  it('that the agent refuses is a warning, or an error if the caller named it', async () => {
    const events = await eventsOf('guarded', 'modes,refuse-modes', { isContained: true });
    expect(events).toContainEqual({
      type: 'warning',
      message: expect.stringMatching(/refused its mode `yolo`.*It works in `ask`/u) as unknown,
    });
    expect(events).toContainEqual({ type: 'text', text: 'ask' });
    expect(await ask('guarded', 'modes,refuse-modes', { mode: 'yolo' })).toMatch(/refused its mode `yolo`/u);
  });
});

describe('a session', () => {
  const output = Output.object({ tag: 'result', schema: z.object({ a: z.number() }), maxCorrections: 1 });

  it.each(['load', 'resume'])('goes on for a retry where the agent can %s', async (can) => {
    const agent = testAgent(can);
    const result = await runAgent('say <result>{"a":"x"}</result>', { agent, output });
    expect(result).toMatchObject({ output: { a: 1 }, provenance: { attempts: [{}, { code: 'ok' }] } });
    expect(readFileSync(agent.env['ACP_STORE'] ?? '', 'utf8')).toMatch(/^say;.+;$/u);
  });

  it('is not heard again when it is loaded, works in its named mode again, and is forked', async () => {
    const first = await runAgent('say one', { agent: testAgent('modes,load,fork', { mode: 'yolo' }) });
    const next = await first.resume?.('guarded');
    expect(next?.stdout).toBe('yolo');
    expect(next?.commits).toHaveLength(1);
    const forked = await first.fork?.('say two');
    expect(forked?.iterations[0]?.sessionId).toBe('forked');
  });

  it('of an agent that cannot resume is an error with a next step', async () => {
    const first = await runAgent('say one');
    await expect(first.resume?.('say two')).rejects.toThrow(/cannot resume a session/u);
  });
});

describe('an agent that fails', () => {
  it.each([
    ['max_tokens', 'token limit'],
    ['max_turn_requests', 'limit of model requests'],
    ['cancelled', 'was cancelled'],
  ])('by its stop reason %j is an error', (stopReason, message) => {
    const events = createBridgeStreamParser().push(`${JSON.stringify({ type: 'end', stopReason })}\n`);
    expect(events).toEqual([{ type: 'error', message: expect.stringContaining(message) as unknown }]);
  });

  it.each([
    ['stop refusal', 'It refused to continue'],
    ['crash', 'exited with code 7'],
  ])('by %j is an AgentError', async (prompt, message) => {
    await expect(runAgent(prompt)).rejects.toMatchObject({
      code: 'api',
      message: expect.stringContaining(message),
    });
  });

  it('by its model’s service tells its status', async () => {
    await expect(runAgent('fail')).rejects.toMatchObject({ code: 'rate-limit', statusCode: 429 });
  });

  it('by not starting is an AgentError', async () => {
    const agent = testAgent('', { command: ['sh', '-c', 'echo no such thing >&2; exit 3'] });
    await expect(runAgent('say x', { agent })).rejects.toMatchObject({
      code: 'api',
      message: expect.stringContaining('exited with code 3'),
    });
  });

  it('by speaking no protocol is an AgentError', async () => {
    const agent = testAgent('', { command: 'echo hello; echo world' });
    await expect(runAgent('say x', { agent })).rejects.toMatchObject({ name: 'AgentError' });
  });
});

it('an abort cancels the turn and leaves no process', async () => {
  const repository = newRepository();
  const stop = new AbortController();
  const running = runAgent('hang', { cwd: repository, signal: stop.signal });
  for await (const event of running) if (event.type === 'text') break;
  stop.abort(new RangeError('enough'));
  await expect(running).rejects.toThrow('enough');
  expect(existsSync(join(repository, 'cancelled'))).toBe(true);
  expect(plainGit(repository, 'log', '--format=%s', '-1')).toBe('change a.txt');
});
