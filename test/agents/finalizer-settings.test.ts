/**
 * Tests that the finalizer works with a user's settings of the real CLIs: their MCP servers, and
 * permissions that prompt.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import { FINALIZER_NAME } from '../../packages/core/src/output/finalizer/finalizer-tool.ts';
import { Output } from '../../packages/core/src/output/output.ts';
import type { AgentProvider } from '../../packages/truecast/src/ports/agent-provider.ts';
import { claudeCode } from '../../packages/truecast/src/agents/claude-code/claude-code.ts';
import { codex } from '../../packages/truecast/src/agents/codex/codex.ts';
import { geminiCli } from '../../packages/truecast/src/agents/gemini-cli/gemini-cli.ts';
import { run } from '../../packages/truecast/src/run/run.ts';
import type { RunResultWithOutput } from '../../packages/truecast/src/run/options/run-options.ts';
import { noSandbox } from '../../packages/truecast/src/sandboxes/no-sandbox.ts';
import { jsonValueOf } from '../../packages/core/src/kit/json-value-of.ts';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import {
  scriptedModelServer,
  type ScriptedModelServer,
} from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { matrixRow } from '../matrix.ts';
import { CLI_BIN_DIR, CODEX_ALONE, describeRealCli, makeWorkplace, type Workplace } from './real-cli.ts';
import { runCommand } from '../cli/run-command.ts';

const OWN_SERVER = fileURLToPath(new URL('own-mcp-server.ts', import.meta.url));
const saved = { ...process.env };
let work: Workplace;
let server: ScriptedModelServer;

beforeEach(async () => {
  work = await makeWorkplace({ 'a.txt': 'a\n' });
  server = await scriptedModelServer({
    script: [
      (turn) =>
        reply.tool(turn.tools.find(({ name }) => name.endsWith(FINALIZER_NAME))?.name ?? 'none', {
          output: { ok: true },
        }),
      () => reply.text('Done.'),
    ],
  });
  Object.assign(process.env, {
    HOME: work.home,
    PATH: `${CLI_BIN_DIR}${delimiter}${saved['PATH'] ?? ''}`,
    ANTHROPIC_BASE_URL: server.anthropicUrl,
    ANTHROPIC_API_KEY: 'scripted-key',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    IS_SANDBOX: '1',
    OPENAI_API_KEY: 'scripted-key',
    GEMINI_API_KEY: 'scripted-key',
  });
});
afterEach(async () => {
  for (const name of Object.keys(process.env)) if (!(name in saved)) delete process.env[name];
  Object.assign(process.env, saved);
  await server.close();
  await work[Symbol.asyncDispose]();
});

function ask(agent: AgentProvider): Promise<RunResultWithOutput<{ ok: boolean }>> {
  return run({
    agent,
    sandbox: noSandbox(),
    cwd: work.repo,
    prompt: 'Say whether it is ok.',
    timeouts: { idleMs: 30_000 },
    output: Output.object({ mode: 'mcp', schema: z.object({ ok: z.boolean() }) }),
  });
}

/** Settings of a user as columns, of which the short form tries one with each CLI: servers, or a mode. */
const MATRIX = { rows: 5, stride: 5 };
/** The column of servers, and the first mode. */
const [SERVERS, MODE] = [0, 4];

describeRealCli('claude', 'the finalizer beside the settings of the real Claude Code', () => {
  const declare = matrixRow(MODE, MATRIX);
  declare('leaves the user’s own servers where they are', async () => {
    const own = { mine: { type: 'stdio', command: process.execPath, args: [OWN_SERVER], alwaysLoad: true } };
    await writeFile(join(work.home, '.claude.json'), JSON.stringify({ mcpServers: own }));

    expect((await ask(claudeCode('claude-opus-4-8'))).output).toEqual({ ok: true });
    const names = server.turns.at(-1)?.tools.map(({ name }) => name);
    expect(names).toContain('mcp__mine__ping');
    expect(names).toContain(`mcp__truecast__${FINALIZER_NAME}`);
  });

  for (const permissionMode of ['default', 'plan', 'dontAsk', 'acceptEdits'] as const) {
    declare(`is called without asking in the permission mode ${permissionMode}`, async () => {
      expect((await ask(claudeCode('claude-opus-4-8', { permissionMode }))).output).toEqual({ ok: true });
    });
  }
});

describeRealCli('claude', '`truecast run --mode mcp` with the real Claude Code', () => {
  it('prints the answer that was handed in', async () => {
    const file = join(work.root, 'schema.json');
    await writeFile(file, JSON.stringify({ type: 'object', properties: { ok: { type: 'boolean' } } }));
    const flags = ['--agent', 'claude-code:claude-opus-4-8', '--sandbox', 'none', '--cwd', work.repo];
    const asked = ['--prompt', 'Is it ok?', '--schema', file, '--mode', 'mcp', '--json'];
    const { stdout } = await runCommand(['run', ...flags, ...asked], { cwd: work.repo });

    expect(jsonValueOf(stdout)).toMatchObject({ output: { ok: true }, provenance: { mode: 'mcp' } });
  });
});

describeRealCli('codex', 'the finalizer beside the settings of the real Codex', () => {
  const agent = (options: Parameters<typeof codex>[1] = {}): AgentProvider =>
    codex('gpt-5.4', { baseURL: server.openaiUrl, ...options });
  const declare = matrixRow(SERVERS, MATRIX);

  declare('leaves the user’s own servers where they are', async () => {
    const config = `[mcp_servers.mine]\ncommand = "${process.execPath}"\nargs = ["${OWN_SERVER}"]\n${CODEX_ALONE}`;
    await writeFile(join(work.home, '.codex', 'config.toml'), config);

    expect((await ask(agent())).output).toEqual({ ok: true });
    const names = server.turns.at(-1)?.tools.map(({ name }) => name);
    expect(names).toContain('ping');
    expect(names).toContain(FINALIZER_NAME);
  });

  for (const approvalsReviewer of ['user', 'auto_review'] as const) {
    declare(`is called without asking where commands are approved by ${approvalsReviewer}`, async () => {
      expect((await ask(agent({ approvalsReviewer }))).output).toEqual({ ok: true });
    });
  }
});

describeRealCli('gemini', 'the finalizer beside the settings of the real Gemini CLI', () => {
  const agent = (options: Parameters<typeof geminiCli>[1] = {}): AgentProvider =>
    geminiCli('gemini-2.5-pro', { baseURL: server.geminiUrl, ...options });
  const declare = matrixRow(SERVERS, MATRIX);

  declare('leaves the user’s own servers where they are, and is allowed beside them', async () => {
    await mkdir(join(work.home, '.gemini'));
    const file = join(work.home, '.gemini', 'settings.json');
    const own = { mine: { command: process.execPath, args: [OWN_SERVER] } };
    const settings = `// mine\n${JSON.stringify({ mcpServers: own, mcp: { allowed: ['mine'] } })}`;
    await writeFile(file, settings);

    expect((await ask(agent())).output).toEqual({ ok: true });
    const names = server.turns.at(-1)?.tools.map(({ name }) => name);
    expect(names).toContain('mcp_mine_ping');
    expect(names).toContain(`mcp_truecast_${FINALIZER_NAME}`);
    expect(await readFile(file, 'utf8')).toBe(settings);
  });

  for (const approvalMode of ['default', 'auto_edit'] as const) {
    declare(`is called without asking in the approval mode ${approvalMode}`, async () => {
      expect((await ask(agent({ approvalMode }))).output).toEqual({ ok: true });
    });
  }
});
