/**
 * Tests of recordings of the real Claude Code and the real Codex: without the model and without a
 * key, the replay produces the same answer and the same work.
 */
import { readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import { Output } from '../../packages/core/src/output/output.ts';
import type { AgentProvider } from '../../packages/truecast/src/ports/agent-provider.ts';
import { claudeCode } from '../../packages/truecast/src/agents/claude-code/claude-code.ts';
import { codex } from '../../packages/truecast/src/agents/codex/codex.ts';
import { replay } from '../../packages/truecast/src/run/record/replay.ts';
import { run } from '../../packages/truecast/src/run/run.ts';
import { noSandbox } from '../../packages/truecast/src/sandboxes/no-sandbox.ts';
import type { ModelScript } from '../../packages/testing/src/scripted-model/model-script.ts';
import { scriptedModelServer } from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { FORM } from '../matrix.ts';
import { CLI_BIN_DIR, describeRealCli, makeWorkplace, type RealCli } from './real-cli.ts';

const KEY = 'sk-test-key-of-the-recorded-run';
const PROMPT = 'Commit a note, and answer in a <result> tag.';
const output = Output.object({ tag: 'result', schema: z.object({ answer: z.number() }), maxCorrections: 1 });

const SCRIPT: ModelScript = [
  () =>
    reply.steps([
      reply.text('Working on it.'),
      reply.shell('echo note > note.txt && git add note.txt && git commit -q -m "add a note"'),
    ]),
  () => reply.text('Done.\n<result>{"answer":"?"}</result>'),
  () => reply.text('<result>{"answer":42}</result>', { chunkChars: 3 }),
];

interface Case {
  readonly cli: RealCli;
  readonly title: string;
  agent(openaiUrl: string): AgentProvider;
}

const CASES: readonly Case[] = [
  { cli: 'claude', title: 'Claude Code', agent: () => claudeCode('claude-opus-4-8') },
  { cli: 'codex', title: 'Codex', agent: (baseURL) => codex('gpt-5.4', { baseURL }) },
];

const saved = { ...process.env };
// Assigned key by key: `os.homedir()` reads the process's own environment, not an object that
// replaces it.
const setEnvironment = (values: Readonly<Record<string, string | undefined>>): void => {
  for (const name of Object.keys(process.env)) if (!(name in values)) delete process.env[name];
  Object.assign(process.env, values);
};
beforeEach(() => setEnvironment({ ...saved, PATH: `${CLI_BIN_DIR}${delimiter}${saved['PATH'] ?? ''}` }));
afterEach(() => setEnvironment(saved));

/** The short form records the CLI that starts fastest. */
const TRIED = CASES.filter(({ cli }) => FORM === 'whole' || cli === 'codex');

for (const { cli, title, agent } of TRIED) {
  describeRealCli(cli, `a recording of the real ${title}`, () => {
    it('is played with no model, no key and no program, to the same answer and the same work', async () => {
      await using original = await makeWorkplace({ 'a.txt': 'a\n' });
      await using copy = await makeWorkplace({ 'a.txt': 'a\n' });
      const record = join(original.root, 'recording.jsonl');
      const options = { sandbox: noSandbox(), prompt: PROMPT, output, timeouts: { idleMs: 20_000 } };
      const server = await scriptedModelServer({ script: SCRIPT, key: KEY });
      Object.assign(process.env, {
        HOME: original.home,
        ANTHROPIC_BASE_URL: server.anthropicUrl,
        ANTHROPIC_API_KEY: KEY,
        OPENAI_API_KEY: KEY,
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
        IS_SANDBOX: '1',
      });
      const recorded = await run({
        ...options,
        agent: agent(server.openaiUrl),
        cwd: original.repo,
        logging: { record },
      });
      await server.close();
      setEnvironment({ PATH: saved['PATH'], HOME: copy.home });
      const played = await run({ ...options, agent: replay(record, { strict: true }), cwd: copy.repo });

      expect(recorded.provenance.attempts.map(({ code }) => code)).toEqual(['schema-mismatch', 'ok']);
      expect({ output: played.output, provenance: played.provenance }).toEqual({
        output: recorded.output,
        provenance: recorded.provenance,
      });
      expect({
        text: played.text,
        usage: played.usage,
        sessions: played.iterations.map(({ sessionId }) => sessionId),
      }).toEqual({
        text: recorded.text,
        usage: recorded.usage,
        sessions: recorded.iterations.map(({ sessionId }) => sessionId),
      });
      expect(await copy.git('log', '--format=%s %T')).toBe(await original.git('log', '--format=%s %T'));
      const text = readFileSync(record, 'utf8');
      expect(JSON.parse(text.split('\n')[0]!)).toMatchObject({
        agent: agent('').name,
        agentVersion: expect.stringMatching(/\d+\.\d+\.\d+/u) as unknown,
      });
      expect(text).not.toContain(KEY);
    });
  });
}
