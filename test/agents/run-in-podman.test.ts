/**
 * Tests of `run()` with each real CLI in a container: no network, no key, files owned by the
 * caller.
 */
import { stat } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { afterAll, afterEach, beforeEach, expect } from 'vitest';
import { z } from 'zod';
import { FINALIZER_NAME } from '../../packages/core/src/output/finalizer/finalizer-tool.ts';
import { Output } from '../../packages/core/src/output/output.ts';
import type { AgentProvider } from '../../packages/truecast/src/ports/agent-provider.ts';
import type { RunOptions } from '../../packages/truecast/src/run/options/run-options.ts';
import { run } from '../../packages/truecast/src/run/run.ts';
import { podman } from '../../packages/truecast/src/sandboxes/podman.ts';
import type { JsonValue } from '../../packages/core/src/kit/json-value.ts';
import type { ModelScript } from '../../packages/testing/src/scripted-model/model-script.ts';
import { reply, type MessageReply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import {
  scriptedModelServer,
  type ScriptedModelServer,
} from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import type { ScriptedTurn } from '../../packages/testing/src/scripted-model/turn/scripted-turn.ts';
import { shellOutput } from '../../packages/testing/src/scripted-model/turn/shell-tools.ts';
import { describeWithEngine } from '../containers/describe-with-engine.ts';
import { TEST_IMAGE } from '../containers/shared-image.ts';
import { matrixRow } from '../matrix.ts';
import { CLI_CASES, KEY, triedRows, type CliCase } from './cli-cases.ts';
import { CLI_BIN_DIRS, describeRealCli, makeWorkplace, type Workplace, quickStart } from './real-cli.ts';

const READ_AND_COMMIT =
  'cat nonce.txt && echo seen > seen.txt && git add seen.txt && git commit -q -m "add seen.txt"';

const schema = z.object({ nonce: z.string() });

/** Calls the finalizer by the CLI's name for it. */
function submit(turn: ScriptedTurn, output: JsonValue): MessageReply {
  const tool = turn.tools.find(({ name }) => name.endsWith(FINALIZER_NAME));
  if (tool === undefined) throw new RangeError(`${FINALIZER_NAME} is not among the tools`);
  return reply.tool(tool.name, { output });
}

const ROWS = triedRows(CLI_CASES);

describeWithEngine('podman', 'run() in podman, which reaches the model alone', () => {
  const saved = { ...process.env };
  let work: Workplace;
  let nonce: string;

  beforeEach(async () => {
    nonce = `nonce-${crypto.randomUUID()}`;
    work = await makeWorkplace({ 'nonce.txt': `${nonce}\n` });
  });
  afterEach(async () => {
    await work[Symbol.asyncDispose]();
  });
  afterAll(() => {
    for (const name of Object.keys(process.env)) if (!(name in saved)) delete process.env[name];
    Object.assign(process.env, saved);
  });

  const answerByTag: ModelScript = [
    () => reply.shell(READ_AND_COMMIT),
    (turn) => reply.text(`<result>{"nonce":"${(shellOutput(turn) ?? '').trim()}"}</result>`),
  ];
  const answerByTool: ModelScript = [
    (turn) => submit(turn, { nonce: 7 }),
    (turn) => submit(turn, { nonce: turn.lastToolResult?.text ?? '' }),
    () => reply.text('Done.'),
  ];

  async function withModel(
    { environment }: CliCase,
    script: ModelScript,
    use: (server: ScriptedModelServer) => Promise<void>,
  ): Promise<void> {
    const server = await scriptedModelServer({ script, key: KEY });
    Object.assign(process.env, {
      PATH: `${CLI_BIN_DIRS}${delimiter}${saved['PATH'] ?? ''}`,
      ...environment(server, work.home),
    });
    try {
      await use(server);
      expect(server.failures).toEqual([]);
    } finally {
      await server.close();
    }
  }

  const optionsFor = (agent: AgentProvider): Omit<RunOptions, 'output'> => ({
    agent,
    sandbox: podman({ imageName: TEST_IMAGE, ...quickStart() }),
    cwd: work.repo,
    branchStrategy: { type: 'merge-to-head' },
    prompt: 'Read nonce.txt, commit a note, and answer in a <result> tag.',
    env: { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1' },
    timeouts: { idleMs: 100_000 },
  });

  for (const [row, cliCase] of ROWS.entries()) {
    const { cli, title, agent } = cliCase;
    const { canUseMcp, nativeMode } = agent(undefined);
    describeRealCli(cli, title, () => {
      // One case for each CLI in the short form. Pi is the last one, and answers in the tag alone.
      const itInMatrix = matrixRow(row + 1, { rows: ROWS.length });
      itInMatrix('gives a typed answer made of what it read, beside its commit', async () => {
        await withModel(cliCase, answerByTag, async (server) => {
          const output = Output.object({ tag: 'result', schema });
          const result = await run({ ...optionsFor(agent(server)), output });
          expect(result.output).toEqual({ nonce });
          expect(result.commits).toHaveLength(1);
          expect(await work.git('log', '-1', '--format=%s')).toBe('add seen.txt');
          expect((await stat(join(work.repo, 'seen.txt'))).uid).toBe(process.getuid?.());
          // The session was copied out of the container, so that it can be resumed.
          expect(result.iterations[0]?.sessionFilePath).toContain(
            result.iterations[0]?.sessionId?.slice(0, 8),
          );
          expect(JSON.stringify(server.requests.map(({ headers }) => headers))).toContain(KEY);
        });
      });

      // Not `runIf`: a test that cannot apply to a CLI does not count as skipped.
      if (nativeMode !== undefined) {
        itInMatrix('answers by its own schema mode', async () => {
          const script: ModelScript = [
            () => reply.shell('cat nonce.txt'),
            (turn) => reply.json({ nonce: (shellOutput(turn) ?? '').trim() }),
            () => reply.text('Done.'),
          ];
          await withModel(cliCase, script, async (server) => {
            const output = Output.object({ schema: z.strictObject({ nonce: z.string() }), mode: 'native' });
            const result = await run({ ...optionsFor(agent(server)), prompt: 'Read nonce.txt.', output });
            expect(result.output).toEqual({ nonce });
            expect(result.provenance.mode).toBe('native');
          });
        });
      }

      if (canUseMcp === true) {
        itInMatrix('hands its answer in by the tool, and is corrected in its own loop', async () => {
          await withModel(cliCase, answerByTool, async (server) => {
            const result = await run({
              ...optionsFor(agent(server)),
              output: Output.object({ mode: 'mcp', schema }),
            });
            expect(result.provenance.mode).toBe('mcp');
            // Gemini CLI validates against the schema itself, so the wrong call never reaches us.
            if (cli === 'gemini') expect(result.output.nonce).toContain('must be string');
            else {
              expect(result.output.nonce).toContain('expected string, received number');
              expect(result.provenance.attempts.map(({ code }) => code)).toEqual(['schema-mismatch', 'ok']);
            }
          });
        });
      }
    });
  }
});
