/** `run()` in bubblewrap with the real Codex and OpenCode, whose model service is a Truecast server. */
import { delimiter } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { Output } from '../../packages/core/src/output/output.ts';
import {
  scriptedModelServer,
  type ScriptedModelServer,
} from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { createChatServer } from '../../packages/server/src/serve/create-chat-server.ts';
import { codex } from '../../packages/truecast/src/agents/codex/codex.ts';
import { opencode } from '../../packages/truecast/src/agents/opencode/opencode.ts';
import { run } from '../../packages/truecast/src/run/run.ts';
import { bubblewrap } from '../../packages/truecast/src/sandboxes/bubblewrap.ts';
import { describeInBubblewrap } from '../describe-in-bubblewrap.ts';
import { matrixCases } from '../matrix.ts';
import {
  CLI_BIN_DIRS,
  describeRealCli,
  makeWorkplace,
  OPENCODE_OFFLINE,
  type Workplace,
  quickStart,
} from './real-cli.ts';

vi.setConfig({ testTimeout: 240_000 });

const COMMIT = 'echo hi > made.txt && git add -A && git commit -qm made';
const AGENTS = {
  codex: (baseURL: string) => codex('local:scripted', { baseURL }),
  opencode: (baseURL: string) => opencode('own/local:scripted', { baseURL }),
};

let service: ScriptedModelServer;
let server: Awaited<ReturnType<typeof createChatServer>>;
let work: Workplace;
const saved = { ...process.env };

beforeEach(async () => {
  work = await makeWorkplace({ 'a.txt': 'a\n' });
  let answers = 0;
  service = await scriptedModelServer({
    // A CLI can also ask for a title, without tools.
    script: ({ tools, lastToolResult }) => {
      if (tools.length === 0) return reply.text('A title');
      if (lastToolResult === undefined) return reply.shell(COMMIT);
      answers += 1;
      return reply.text(`<result>{"n": ${answers === 1 ? '"one"' : '1'}}</result>`);
    },
  });
  server = await createChatServer({
    port: 0,
    databaseUrl: ':memory:',
    environment: { TRUECAST_BASE_URL: service.openaiUrl, TRUECAST_MODEL: 'scripted' },
    logLevel: 'silent',
  });
  const { token } = await server.createToken({ name: 'cli', owner: 'cli', scopes: ['chats'] });
  const path = `${CLI_BIN_DIRS}${delimiter}${saved['PATH'] ?? ''}`;
  Object.assign(process.env, { ...OPENCODE_OFFLINE, HOME: work.home, PATH: path, OPENAI_API_KEY: token });
});
afterEach(async () => {
  for (const name of Object.keys(process.env)) if (!(name in saved)) delete process.env[name];
  Object.assign(process.env, saved);
  await server.close();
  await service.close();
  await work[Symbol.asyncDispose]();
});

describeInBubblewrap('run() with a Truecast server as the model service', () => {
  // In the short form, `run-real-clis.test.ts` corrects OpenCode in bubblewrap, whose four starts take 15 s.
  for (const cli of matrixCases(1, ['codex', 'opencode'] as const)) {
    describeRealCli(cli, cli, () => {
      it('commits in bubblewrap, and corrects its answer in its session', async () => {
        const result = await run({
          agent: AGENTS[cli](`${server.url}/v1`),
          sandbox: bubblewrap(quickStart()),
          cwd: work.repo,
          branchStrategy: { type: 'merge-to-head' },
          prompt: 'Make a file, and answer in a <result> tag.',
          output: Output.object({ tag: 'result', schema: z.object({ n: z.number() }), maxCorrections: 1 }),
        });
        expect(result.output).toEqual({ n: 1 });
        expect(result.commits).toHaveLength(1);
        expect(await work.git('show', 'HEAD:made.txt')).toBe('hi');
      });
    });
  }
});
