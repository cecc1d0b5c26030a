/**
 * Tests of `run()` with the real CLIs: typed, retried and resumed answers, with and without a
 * sandbox.
 */
import { delimiter } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { StructuredOutputError } from '../../packages/core/src/errors/structured-output-error.ts';
import { Output } from '../../packages/core/src/output/output.ts';
import { run } from '../../packages/truecast/src/run/run.ts';
import { bubblewrap } from '../../packages/truecast/src/sandboxes/bubblewrap.ts';
import { noSandbox } from '../../packages/truecast/src/sandboxes/no-sandbox.ts';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import {
  scriptedModelServer,
  type ScriptedModelServer,
} from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import type { ModelScript } from '../../packages/testing/src/scripted-model/model-script.ts';
import { shellOutput } from '../../packages/testing/src/scripted-model/turn/shell-tools.ts';
import type { AgentProvider, StreamAgentProvider } from '../../packages/truecast/src/ports/agent-provider.ts';
import { CLI_CASES, KEY, triedRows } from './cli-cases.ts';
import { describeInBubblewrap, runsBubblewrap } from '../describe-in-bubblewrap.ts';
import { FORM, matrixRow } from '../matrix.ts';
import { CLI_BIN_DIRS, describeRealCli, makeWorkplace, type Workplace, quickStart } from './real-cli.ts';

/** OpenCode takes 3 s to start on an idle machine. A test of the whole form starts it up to five times. */
vi.setConfig({ testTimeout: 240_000 });

const READ_AND_COMMIT =
  'cat nonce.txt && echo seen > seen.txt && git add seen.txt && git commit -q -m "add seen.txt"';
const PROMPT = 'Read nonce.txt, commit a note, and answer in a <result> tag.';
const schema = z.object({ nonce: z.string() });

const SANDBOXES = {
  'without a sandbox': () => noSandbox(),
  'in bubblewrap, which reaches its model alone': () => bubblewrap(quickStart()),
};

const WITH_SCHEMA_MODE = CLI_CASES.flatMap(({ cli, agent }) =>
  agent(undefined).nativeMode === undefined ? [] : [cli],
);

const ROWS = triedRows(CLI_CASES);
/** Row of a place of which the short form tries no further case. */
const NONE = -1;

for (const { cli, title, agent, environment } of CLI_CASES) {
  const row = ROWS.findIndex((tried) => tried.cli === cli);
  for (const [place, sandbox] of Object.entries(SANDBOXES)) {
    const isSandboxed = place !== 'without a sandbox';
    // The sandbox is the harder place: the short form tries one CLI outside, which starts fastest.
    const isTried = isSandboxed || FORM === 'whole';
    if (!isTried && runsBubblewrap && cli !== 'codex') continue;
    if (isSandboxed && !runsBubblewrap) {
      describeInBubblewrap(`run() with the real ${title} ${place}`, () => undefined);
      continue;
    }
    describeRealCli(cli, `run() with the real ${title} ${place}`, () => {
      // A session that is resumed and forked takes three starts: in the short form it is that of Codex, which
      // starts fastest.
      const itInMatrix = matrixRow(isTried && row !== NONE ? row + 2 : NONE, { rows: ROWS.length });
      const saved = { ...process.env };
      let work: Workplace;
      let nonce: string;
      let server: ScriptedModelServer | undefined;

      beforeAll(async () => {
        nonce = `nonce-${crypto.randomUUID()}`;
        work = await makeWorkplace({ 'nonce.txt': `${nonce}\n` });
      });
      // Assigned key by key: `os.homedir()` reads the process's own environment, not an object that
      // replaces it.
      const setEnvironment = (values: Readonly<Record<string, string | undefined>>): void => {
        for (const name of Object.keys(process.env)) if (!(name in values)) delete process.env[name];
        Object.assign(process.env, values);
      };
      beforeEach(() =>
        setEnvironment({ ...saved, PATH: `${CLI_BIN_DIRS}${delimiter}${saved['PATH'] ?? ''}` }),
      );
      afterAll(async () => {
        setEnvironment(saved);
        await work[Symbol.asyncDispose]();
      });

      async function withModel<T>(
        script: ModelScript,
        use: (server: ScriptedModelServer) => Promise<T>,
      ): Promise<T> {
        server = await scriptedModelServer({ script, key: KEY });
        Object.assign(process.env, environment(server, work.home));
        try {
          const result = await use(server);
          expect(server.failures).toEqual([]);
          return result;
        } finally {
          await server.close();
        }
      }

      // To copy its session, OpenCode is started a second time: `opencode-sessions.test.ts` does in the short form.
      const isCaptured = FORM === 'whole' || cli !== 'opencode';
      const withoutCapture = ({ sessionStorage: _storage, ...rest }: StreamAgentProvider): AgentProvider =>
        rest;
      const options = (): Parameters<typeof run>[0] => ({
        agent: isCaptured ? agent(server) : withoutCapture(agent(server)),
        sandbox: sandbox(),
        cwd: work.repo,
        branchStrategy: { type: 'merge-to-head' },
        prompt: PROMPT,
        timeouts: { idleMs: 100_000 },
      });
      // A correction starts the CLI again, and OpenCode once more for its session: `copilot.test.ts` and
      // `opencode-sessions.test.ts` resume theirs in the short form.
      const isCorrected = FORM === 'whole' || (cli !== 'copilot' && cli !== 'opencode');
      const how = isCorrected ? 'gives a wrong answer, and corrects it in its session' : 'answers';
      it(`commits, ${how} with what it read`, async () => {
        let read = '';
        const script: ModelScript = [
          () => reply.steps([reply.text('Working on it.'), reply.shell(READ_AND_COMMIT)]),
          (turn) => {
            read = shellOutput(turn).trim();
            return reply.text(
              `Done.\n<result>{"nonce": ${isCorrected ? '7' : JSON.stringify(read)}}</result>`,
            );
          },
          (turn) =>
            reply.text(turn.userText.includes('nonce') ? `<result>{"nonce":"${read}"}</result>` : 'Of what?'),
        ];
        await withModel(script, async ({ requests, turns }) => {
          const result = await run({
            ...options(),
            output: Output.object({ tag: 'result', schema, maxCorrections: isCaptured ? 1 : 0 }),
          });
          expect(result.output).toEqual({ nonce });
          expect(result.commits).toHaveLength(1);
          expect(await work.git('log', '-1', '--format=%s')).toBe('add seen.txt');
          expect(result.provenance).toMatchObject({
            mode: 'tag',
            attempts: isCorrected ? [{ code: 'schema-mismatch' }, { code: 'ok' }] : [{ code: 'ok' }],
          });
          expect(JSON.stringify(turns.at(-1)?.messages)).toContain(PROMPT);
          expect(new Set(result.iterations.map(({ sessionId }) => sessionId)).size).toBe(1);
          expect(result.usage?.outputTokens).toBeGreaterThan(0);
          // The proxy forwards everything that the CLI needs.
          expect(result.warnings.join('\n')).not.toContain('connection of the sandbox was blocked');
          const [iteration] = result.iterations;
          // Gemini CLI names its file by the first part of the id.
          if (isCaptured) expect(iteration?.sessionFilePath).toContain(iteration?.sessionId?.slice(0, 8));
          else expect(iteration?.sessionId).toMatch(/^ses_/u);
          expect(JSON.stringify(requests.map(({ headers }) => headers))).toContain(KEY);
        });
      });

      itInMatrix('resumes a session of an earlier run, and forks it', async () => {
        const script: ModelScript = [
          () => reply.text('First.'),
          (turn) =>
            reply.text(
              `<result>{"nonce":"${JSON.stringify(turn.messages).includes('Remember seven') ? 'remembered' : 'forgot'}"}</result>`,
            ),
          (turn) =>
            reply.text(
              `<result>{"nonce":"${JSON.stringify(turn.messages).includes('Remember seven') ? 'remembered' : 'forgot'}"}</result>`,
            ),
        ];
        await withModel(script, async () => {
          const first = await run({ ...options(), prompt: 'Remember seven.' });
          const output = Output.object({ tag: 'result', schema });
          const second = await run({
            ...options(),
            prompt: 'What? Answer in <result>.',
            session: { resume: first.iterations[0]?.sessionId ?? '' },
            output,
          });
          expect(second.output.nonce).toBe('remembered');
          const forked = await first.fork?.('And now? Answer in <result>.', { output });
          expect(forked).toMatchObject({ output: { nonce: 'remembered' } });
          expect(forked?.iterations[0]?.sessionId).not.toBe(first.iterations[0]?.sessionId);
        });
      });

      itInMatrix('fails with every attempt when it never complies', async () => {
        await withModel([() => reply.text('no'), () => reply.text('<result>no</result>')], async () => {
          const failure: unknown = await run({
            ...options(),
            output: Output.object({ tag: 'result', schema, maxCorrections: 1 }),
          }).catch((error: unknown) => error);
          if (!StructuredOutputError.isInstance(failure)) throw failure;
          expect(failure.attempts.map(({ code }) => code)).toEqual(['tag-not-found', 'invalid-json']);
          expect(failure.sessionId).toBeDefined();
        });
      });

      const schemaModeRow = WITH_SCHEMA_MODE.indexOf(cli);
      // Claude Code takes one of three cases in the short form, and Codex two.
      const itInSchemaMatrix = matrixRow(isTried ? schemaModeRow + 1 : NONE, {
        rows: WITH_SCHEMA_MODE.length,
      });
      // Not `runIf`: a test that cannot apply to a CLI does not count as skipped.
      const itWithSchemaMode = (name: string, test: () => Promise<void>): void => {
        if (schemaModeRow >= 0) itInSchemaMatrix(name, test);
      };
      itWithSchemaMode('answers by its own schema mode, validated again', async () => {
        const script: ModelScript = [
          () => reply.shell('cat nonce.txt'),
          (turn) => reply.json({ nonce: (shellOutput(turn) ?? '').trim() }),
          () => reply.text('Done.'),
        ];
        await withModel(script, async () => {
          const result = await run({
            ...options(),
            prompt: 'Read nonce.txt.',
            output: Output.object({ schema: z.strictObject({ nonce: z.string() }), mode: 'native' }),
          });
          expect(result.output).toEqual({ nonce });
          expect(result.provenance.mode).toBe('native');
        });
      });

      itWithSchemaMode('carries an optional field and a map through its schema mode', async () => {
        const strict = cli === 'codex';
        const counts = strict ? [{ key: 'a', value: 1 }] : { a: 1 };
        const script: ModelScript = [
          () => reply.json({ ...(strict && { note: null }), counts }),
          () => reply.text('Done.'),
        ];
        await withModel(script, async ({ requests }) => {
          const shape = { note: z.string().min(2).optional(), counts: z.record(z.string(), z.number()) };
          const result = await run({
            ...options(),
            prompt: 'Count.',
            output: Output.object({ schema: z.object(shape), mode: 'native' }),
          });
          expect(result.output).toEqual({ counts: { a: 1 } });
          expect(result.provenance.mode).toBe('native');
          expect(result.warnings.join('\n').includes('`minLength` at `/properties/note/minLength`')).toBe(
            strict,
          );
          if (strict) expect(JSON.stringify(requests)).toContain('minLength: 2');
        });
      });

      itWithSchemaMode('is asked again when its own schema mode ended without an answer', async () => {
        const script: ModelScript = (turn) =>
          turn.userText.includes('Send only') ? reply.json({ nonce: 'late' }) : reply.text('{"nonce": 7}');
        await withModel(script, async () => {
          const output = Output.object({
            schema: z.strictObject({ nonce: z.string() }),
            mode: 'native',
            maxCorrections: 1,
          });
          const result = await run({ ...options(), prompt: 'Read nonce.txt.', output });
          expect(result.output).toEqual({ nonce: 'late' });
          expect(result.provenance.attempts).toHaveLength(2);
        });
      });

      itInMatrix('reports an error of its model provider with the status', async () => {
        await withModel(
          () => reply.error(401, { message: 'no such key' }),
          async () => {
            await expect(run({ ...options(), prompt: 'x' })).rejects.toMatchObject({
              name: 'AgentError',
              code: 'authentication',
              statusCode: 401,
            });
          },
        );
      });
    });
  }
}
