/**
 * Tests of `pi()` with the real Pi, in its newest version and in its last one under its first
 * package name: each reads the key of a custom service in another way.
 */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { Output } from '../../packages/core/src/output/output.ts';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import {
  scriptedModelServer,
  type ScriptedModelServer,
} from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { pi } from '../../packages/truecast/src/agents/pi/pi.ts';
import type { SandboxProvider } from '../../packages/truecast/src/ports/sandbox-provider.ts';
import { run } from '../../packages/truecast/src/run/run.ts';
import { bubblewrap } from '../../packages/truecast/src/sandboxes/bubblewrap.ts';
import { noSandbox } from '../../packages/truecast/src/sandboxes/no-sandbox.ts';
import { describeInBubblewrap, runsBubblewrap } from '../describe-in-bubblewrap.ts';
import { FORM } from '../matrix.ts';
import {
  CLI_BIN_DIR,
  describeRealCli,
  makeWorkplace,
  OLDER_PI_BIN_DIR,
  type Workplace,
  quickStart,
} from './real-cli.ts';

vi.setConfig({ testTimeout: 240_000 });

/** A `$` in a key is text, and no reference to a variable. */
const KEY = 'sk-test-$HOME-key';
const schema = z.object({ n: z.number() });

const VERSIONS = { 'newest version': CLI_BIN_DIR, 'version 0.73': OLDER_PI_BIN_DIR };
const PLACES: Readonly<Record<string, () => SandboxProvider>> = {
  'without a sandbox': () => noSandbox(),
  ...(runsBubblewrap && { 'in bubblewrap': () => bubblewrap(quickStart()) }),
};

/**
 * In the short form, the older version sends its key in one place: `run-real-clis.test.ts` corrects the newest one,
 * with its key.
 */
const TRIED: typeof PLACES = FORM === 'whole' ? PLACES : { 'without a sandbox': () => noSandbox() };

/** The model commits, and gives a right answer, or a wrong one before it. */
const COMMIT = reply.shell('echo 1 > a.txt && git add a.txt && git commit -q -m "add a.txt"');
const WRONG = reply.text('<result>{"n":"1"}</result>');
const RIGHT = reply.text('<result>{"n":1}</result>');

describeRealCli('pi', 'pi() with the real Pi', () => {
  const saved = { ...process.env };
  let work: Workplace;

  beforeEach(async () => {
    work = await makeWorkplace({ 'README.md': 'hi\n' });
    Object.assign(process.env, { HOME: work.home, PI_OFFLINE: '1' });
    delete process.env['OPENAI_API_KEY'];
  });
  afterEach(async () => {
    for (const name of ['HOME', 'PI_OFFLINE', 'OPENAI_API_KEY', 'PATH']) {
      if (saved[name] === undefined) delete process.env[name];
      else process.env[name] = saved[name];
    }
    await work[Symbol.asyncDispose]();
  });

  async function asked(
    sandbox: SandboxProvider,
    use: (server: ScriptedModelServer) => Promise<void>,
    isCorrected: boolean,
  ) {
    const script = isCorrected ? [COMMIT, WRONG, RIGHT] : [COMMIT, RIGHT];
    const server = await scriptedModelServer({ script, key: KEY });
    try {
      const result = await run({
        agent: pi('local/scripted', { baseURL: server.openaiUrl }),
        sandbox,
        cwd: work.repo,
        branchStrategy: { type: 'merge-to-head' },
        prompt: 'Commit a file, and answer in a <result> tag.',
        output: Output.object({ tag: 'result', schema, maxCorrections: 1 }),
        timeouts: { idleMs: 100_000 },
      });
      expect(result.output).toEqual({ n: 1 });
      expect(result.commits).toHaveLength(1);
      expect(result.provenance.attempts.map(({ code }) => code)).toEqual(
        isCorrected ? ['schema-mismatch', 'ok'] : ['ok'],
      );
      expect(new Set(result.iterations.map(({ sessionId }) => sessionId)).size).toBe(1);
      expect(server.failures).toEqual([]);
      await use(server);
    } finally {
      await server.close();
    }
  }

  const keysOf = ({ requests }: ScriptedModelServer): readonly (string | undefined)[] => [
    ...new Set(requests.map(({ headers }) => headers['authorization'])),
  ];

  for (const [version, directory] of Object.entries(VERSIONS)) {
    describe(`in its ${version}`, () => {
      beforeEach(() => {
        expect(existsSync(join(directory, 'pi')), 'Run: npm ci in test/agents and test/agents/older').toBe(
          true,
        );
        process.env['PATH'] = `${directory}${delimiter}${saved['PATH'] ?? ''}`;
      });

      const places = FORM === 'short' && directory === CLI_BIN_DIR ? [] : Object.entries(TRIED);
      it.each(places)('sends the key of its variable %s', async (_place, sandbox) => {
        process.env['OPENAI_API_KEY'] = KEY;
        const isCorrected = FORM === 'whole' || directory === OLDER_PI_BIN_DIR;
        await asked(
          sandbox(),
          async (server) => expect(keysOf(server)).toEqual([`Bearer ${KEY}`]),
          isCorrected,
        );
      });

      it('never sends the name of the variable to a service without a key', async () => {
        await using server = await scriptedModelServer({ script: [() => reply.text('Done.')] });
        await run({
          agent: pi('local/scripted', { baseURL: server.openaiUrl }),
          sandbox: noSandbox(),
          cwd: work.repo,
          prompt: 'Say that it is done.',
          timeouts: { idleMs: 100_000 },
        });
        expect(server.failures).toEqual([]);
        expect(keysOf(server)).toEqual(['Bearer no-key']);
      });
    });
  }
});
if (!runsBubblewrap) describeInBubblewrap('pi() with the real Pi', () => undefined);
