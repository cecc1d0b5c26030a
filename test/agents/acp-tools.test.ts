/**
 * Tests of `mode: 'mcp'` with the real agents of the ACP presets: each knows the tool in its first turn
 * although its server starts slowly, and submits its answer with it in its own default mode.
 */
import { expect, it, vi } from 'vitest';
import { z } from 'zod';
import { FINALIZER_NAME } from '../../packages/core/src/output/finalizer/finalizer-tool.ts';
import { Output } from '../../packages/core/src/output/output.ts';
import { reply, type MessageReply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import type { ScriptedTurn } from '../../packages/testing/src/scripted-model/turn/scripted-turn.ts';
import { scriptedModelServer } from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { acp } from '../../packages/truecast/src/agents/acp/acp.ts';
import type { AcpPresetName } from '../../packages/truecast/src/agents/acp/presets.ts';
import type { AgentProvider } from '../../packages/truecast/src/ports/agent-provider.ts';
import { ACP_PRESET_NAMES } from '../../packages/truecast/src/agents/registry/agent-names.ts';
import { run } from '../../packages/truecast/src/run/run.ts';
import { noSandbox } from '../../packages/truecast/src/sandboxes/no-sandbox.ts';
import { withBundledBridge } from '../bundled-bridge.ts';
import { FORM } from '../matrix.ts';
import { ACP_CASES, ACP_KEY, AS_ROOT, writeHomeFiles } from './acp-cases.ts';
import { describeRealCli, workplaceForEach } from './real-cli.ts';

vi.setConfig({ testTimeout: 240_000 });

/** Submits with the tool if the model has it. Otherwise the turn ends without an answer. */
function submit({ tools }: ScriptedTurn): MessageReply {
  const tool = tools.find(({ name }) => name.endsWith(FINALIZER_NAME));
  return tool === undefined
    ? reply.text('I have no such tool.')
    : reply.tool(tool.name, { output: { n: 1 } });
}

/** Longer than each agent waits for by itself to begin a turn without its tools. */
const SLOW_START = 'sleep 3; exec "$0" "$@"';

function withSlowServer(agent: AgentProvider): AgentProvider {
  return {
    ...agent,
    buildPrintCommand({ mcpServer, ...asked }) {
      if (mcpServer === undefined) return agent.buildPrintCommand(asked);
      const args = ['-c', SLOW_START, mcpServer.command, ...mcpServer.args];
      return agent.buildPrintCommand({ ...asked, mcpServer: { ...mcpServer, command: 'sh', args } });
    },
  };
}

/** Agents that get the server or its tools in their own way, or begin a turn without them. */
const SPECIAL: readonly AcpPresetName[] = ['codex-acp', 'qwen-code', 'copilot-acp', 'claude-acp'];
const TRIED = ACP_PRESET_NAMES.filter((preset) => FORM === 'whole' || SPECIAL.includes(preset));

for (const preset of TRIED) {
  const { cli, options, files } = ACP_CASES[preset];
  describeRealCli(cli, `the tool of a run with the real agent of acp({ preset: '${preset}' })`, () => {
    const work = workplaceForEach({ 'README.md': 'hi\n' });

    it('is known in the first turn, and receives the answer', async () => {
      let calls = 0;
      await using server = await scriptedModelServer({
        key: ACP_KEY,
        script: (turn) => {
          // Calls without tools come from the agent itself, such as for a title.
          if (turn.tools.length === 0) return reply.text('A title');
          calls += 1;
          return calls === 1 ? submit(turn) : reply.text('Done.');
        },
      });
      await writeHomeFiles(work.home, files?.(server));
      const given = options(server);
      const result = await run({
        agent: withSlowServer(
          withBundledBridge(acp({ preset, ...given, env: { ...given.env, HOME: work.home, ...AS_ROOT } })),
        ),
        sandbox: noSandbox(),
        cwd: work.repo,
        branchStrategy: { type: 'merge-to-head' },
        prompt: 'Count the files.',
        timeouts: { idleMs: 100_000 },
        output: Output.object({ mode: 'mcp', schema: z.object({ n: z.number() }) }),
      });
      expect(result).toMatchObject({
        output: { n: 1 },
        provenance: { mode: 'mcp', attempts: [{ code: 'ok' }] },
      });
      expect(result.iterations).toHaveLength(1);
      expect(server.failures).toEqual([]);
    });
  });
}
