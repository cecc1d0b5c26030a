import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { jsonValueOf } from '@truecast/core/internal/kit/json-value-of';
import { Output } from '@truecast/core/internal/output/output';
import { run } from '../../run/run.ts';
import { noSandbox } from '../../sandboxes/no-sandbox.ts';
import { acp, type AcpOptions } from './acp.ts';
import { ACP_PRESETS, type AcpPresetName } from './presets.ts';
import { withServerArgs } from './server-args.ts';

const mcpServer = { name: 'truecast', command: 'node', args: ['/a b', '/c'] };

/** Request of the bridge. It follows the bridge's program on stdin. */
function requestOf(options: AcpOptions, asked = {}): unknown {
  const { stdin = '' } = acp(options).buildPrintCommand({
    prompt: 'p',
    dangerouslySkipPermissions: true,
    ...asked,
  });
  const [length = ''] = stdin.split('\n', 1);
  return jsonValueOf(
    Buffer.from(stdin)
      .subarray(length.length + 1 + Number(length))
      .toString(),
  );
}

describe('the server of a run', () => {
  it('is in the command line of Qwen Code, which otherwise hides its tools behind a search', () => {
    expect(withServerArgs('qwen --acp', 'qwen-code', [mcpServer])).toBe(
      `qwen --acp --mcp-config '{"mcpServers":{"truecast":{"command":"node","args":["/a b","/c"],"trust":true,"alwaysLoadTools":true}}}'`,
    );
    expect(withServerArgs('qwen --acp', 'qwen-code', [])).toBe('qwen --acp');
    expect(requestOf({ preset: 'qwen-code' }, { mcpServer })).toMatchObject({
      serverArgsOf: 'qwen-code',
      mcpServers: [mcpServer],
    });
  });

  it('is in the command line of Copilot, which rejects programs of a session', () => {
    expect(withServerArgs('copilot --acp', 'copilot-acp', [mcpServer])).toBe(
      `copilot --acp '--additional-mcp-config={"mcpServers":{"truecast":{"type":"local","command":"node","args":["/a b","/c"],"tools":["*"],"timeout":3600000}}}' '--allow-tool=truecast'`,
    );
  });

  it('is only in the session of other agents', () => {
    expect(withServerArgs('kimi acp', 'kimi', [mcpServer])).toBe('kimi acp');
    expect(withServerArgs('agent', undefined, [mcpServer])).toBe('agent');
    expect(requestOf({ preset: 'kimi' }, { mcpServer })).not.toHaveProperty('serverArgsOf');
  });

  it('is allowed in sessions of Claude', () => {
    const sessionMeta = { claudeCode: { options: { allowedTools: ['mcp__truecast'] } } };
    expect(requestOf({ preset: 'claude-acp' }, { mcpServer })).toMatchObject({ sessionMeta });
    expect(requestOf({ preset: 'claude-acp' })).not.toHaveProperty('sessionMeta');
    expect(requestOf({ preset: 'kimi' }, { mcpServer })).not.toHaveProperty('sessionMeta');
  });

  it('is refused before any work where a shell command gets no arguments', async () => {
    const agent = acp({ preset: 'copilot-acp', command: 'cd /; copilot --acp' });
    expect(agent.canUseMcp).toBe(false);
    expect(acp({ preset: 'kimi', command: 'cd /; kimi acp' }).canUseMcp).toBe(true);
    expect(acp({ command: 'agent' }).canUseMcp).toBe(true);
    await expect(
      run({
        agent,
        sandbox: noSandbox(),
        prompt: 'p',
        output: Output.object({ mode: 'mcp', schema: z.object({}) }),
      }),
    ).rejects.toThrow(/`copilot-acp` cannot load the MCP tool/u);
  });
});

it.each(Object.keys(ACP_PRESETS) as AcpPresetName[])(
  'is made by the preset %s, with its program and how it is installed',
  (preset) => {
    const made = acp({ preset, model: 'm' });
    expect(made).toMatchObject({ name: preset, model: 'm', program: ACP_PRESETS[preset].command[0] });
    expect(made.installHint).toMatch(/^npm install -g \S+$/u);
    expect(acp({ preset, command: ['other'], name: 'own' })).toMatchObject({
      name: 'own',
      program: 'other',
    });
  },
);
