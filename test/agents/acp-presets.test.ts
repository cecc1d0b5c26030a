/**
 * Tests of the presets of `acp()` with the real agents: each commits, gives a wrong answer, and
 * corrects it in its session.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { z } from 'zod';
import { Output } from '../../packages/core/src/output/output.ts';
import type { ModelScript } from '../../packages/testing/src/scripted-model/model-script.ts';
import { reply, type MessageReply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import type { ScriptedTurn } from '../../packages/testing/src/scripted-model/turn/scripted-turn.ts';
import {
  scriptedModelServer,
  type ScriptedModelServer,
} from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { acp, type AcpOptions } from '../../packages/truecast/src/agents/acp/acp.ts';
import type { AcpPresetName } from '../../packages/truecast/src/agents/acp/presets.ts';
import { ACP_PRESET_NAMES } from '../../packages/truecast/src/agents/registry/agent-names.ts';
import type { SandboxProvider } from '../../packages/truecast/src/ports/sandbox-provider.ts';
import type { RunOptions } from '../../packages/truecast/src/run/options/run-options.ts';
import { run } from '../../packages/truecast/src/run/run.ts';
import { bubblewrap } from '../../packages/truecast/src/sandboxes/bubblewrap.ts';
import { noSandbox } from '../../packages/truecast/src/sandboxes/no-sandbox.ts';
import { withBundledBridge } from '../bundled-bridge.ts';
import { describeInBubblewrap, runsBubblewrap } from '../describe-in-bubblewrap.ts';
import { FORM, matrixRow } from '../matrix.ts';
import { ACP_CASES, ACP_KEY, AS_ROOT, type HomeFiles, writeHomeFiles } from './acp-cases.ts';
import { describeRealCli, workplaceForEach, quickStart } from './real-cli.ts';

vi.setConfig({ testTimeout: 240_000 });

const schema = z.object({ n: z.number() });

type Step = (turn: ScriptedTurn) => MessageReply;
const COMMIT: Step = () => reply.shell('echo 1 > a.txt && git add a.txt && git commit -q -m "add a.txt"');
const ANSWER: Step = () => reply.text('<result>{"n":1}</result>');
const CORRECTED: readonly Step[] = [
  COMMIT,
  () => reply.text('<result>{"n":"1"}</result>'),
  // The agent gets the failure.
  ({ userText }) =>
    reply.text(userText.includes('expected number') ? '<result>{"n":1}</result>' : 'Of what?'),
];

/** Agents whose own default mode refuses to commit. */
const CLOSED: readonly AcpPresetName[] = ['codex-acp', 'claude-acp'];

/** Calls without tools come from the agent itself, such as for a title. */
function createScript(steps: readonly Step[]): ModelScript {
  let calls = 0;
  return (turn) => {
    if (turn.tools.length === 0) return reply.text('A title');
    calls += 1;
    return steps[Math.min(calls, steps.length) - 1]?.(turn) ?? reply.text('');
  };
}

/**
 * Presets whose agents take 3 to 9 s to start. In the short form, `host-tools-real-clis.test.ts` works with
 * those of Claude Code and OpenCode, and `acp-tools.test.ts` with Qwen Code and Copilot.
 */
const SLOW: readonly AcpPresetName[] = ['qwen-code', 'claude-acp', 'opencode-acp', 'copilot-acp'];
const TRIED = ACP_PRESET_NAMES.filter((preset) => FORM === 'whole' || !SLOW.includes(preset));

/** A correction starts the agent again: the short form tries it with the one that starts in half a second. */
const QUICK: readonly AcpPresetName[] = ['codex-acp'];

for (const preset of TRIED) {
  const { cli, options, files, mode, isFresh = false } = ACP_CASES[preset];
  const isCorrected = FORM === 'whole' || QUICK.includes(preset);
  describeRealCli(cli, `acp({ preset: '${preset}' }) with the real agent`, () => {
    const work = workplaceForEach({ 'README.md': 'hi\n' });

    async function withServer(use: (server: ScriptedModelServer, homeFiles: HomeFiles) => Promise<void>) {
      const server = await scriptedModelServer({
        script: createScript(isCorrected ? CORRECTED : [COMMIT, ANSWER]),
        key: ACP_KEY,
      });
      try {
        const homeFiles = files?.(server) ?? {};
        await writeHomeFiles(work.home, homeFiles);
        await use(server, homeFiles);
        expect(server.failures).toEqual([]);
      } finally {
        await server.close();
      }
    }

    const runOptions = (
      server: ScriptedModelServer,
      own: Partial<AcpOptions>,
    ): Omit<RunOptions, 'output'> => {
      const given = options(server);
      return {
        agent: withBundledBridge(acp({ preset, ...given, ...own, env: { ...given.env, ...own.env } })),
        sandbox: noSandbox(),
        cwd: work.repo,
        branchStrategy: { type: 'merge-to-head' },
        prompt: 'Commit a file, and answer in a <result> tag.',
        timeouts: { idleMs: 100_000 },
      };
    };

    const works = (sandbox: (files: HomeFiles) => SandboxProvider, own: Partial<AcpOptions>) =>
      withServer(async (server, homeFiles) => {
        const result = await run({
          ...runOptions(server, own),
          sandbox: sandbox(homeFiles),
          output: Output.object({
            tag: 'result',
            schema,
            maxCorrections: 1,
            ...(isFresh && { retry: 'fresh' }),
          }),
        });
        expect(result.output).toEqual({ n: 1 });
        expect(result.provenance.attempts.map(({ code }) => code)).toEqual(
          isCorrected ? ['schema-mismatch', 'ok'] : ['ok'],
        );
        expect(result.warnings.join('\n')).not.toContain('mode');
        expect(result.commits).toHaveLength(1);
        expect(await work.git('log', '-1', '--format=%s')).toBe('add a.txt');
        expect(existsSync(join(work.repo, 'a.txt'))).toBe(true);
        if (!isFresh) expect(new Set(result.iterations.map(({ sessionId }) => sessionId)).size).toBe(1);
      });

    const itInPlace = matrixRow(ACP_PRESET_NAMES.indexOf(preset), {
      rows: ACP_PRESET_NAMES.length,
      stride: 2,
    });
    itInPlace('commits and corrects its answer without a sandbox', () =>
      works(() => noSandbox(), {
        env: { HOME: work.home, ...AS_ROOT },
        ...(mode !== undefined && { mode }),
      }),
    );

    const itInMatrix = matrixRow(CLOSED.indexOf(preset), { rows: CLOSED.length });
    itInMatrix('commits nothing in its own default mode, and a warning names the open one', () =>
      withServer(async (server) => {
        const { commits, warnings } = await run(runOptions(server, { env: { HOME: work.home, ...AS_ROOT } }));
        expect(commits).toEqual([]);
        expect(warnings.join('\n')).toMatch(
          new RegExp(`no commit in its mode .* set \`mode: '${mode}'\``, 'u'),
        );
      }),
    );

    if (runsBubblewrap) {
      itInPlace('commits in its most open mode in bubblewrap, and corrects its answer', () =>
        works(
          (homeFiles) =>
            bubblewrap({
              egress: 'host',
              env: quickStart().env,
              mounts: [
                ...quickStart().mounts,
                ...Object.keys(homeFiles).map((name) => ({
                  hostPath: join(work.home, name),
                  sandboxPath: `~/${name}`,
                  readonly: true,
                })),
              ],
            }),
          {},
        ),
      );
    }
  });
}
if (!runsBubblewrap) describeInBubblewrap('presets of acp()', () => undefined);
