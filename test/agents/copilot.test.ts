/**
 * Tests of `copilot()` behaviour that is specific to Copilot: prompts of any length, and sessions
 * of aborted runs.
 */
import { delimiter } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { AgentError } from '../../packages/core/src/errors/agent-error.ts';
import { copilot } from '../../packages/truecast/src/agents/copilot/copilot.ts';
import { run } from '../../packages/truecast/src/run/run.ts';
import type { RunOptions } from '../../packages/truecast/src/run/options/run-options.ts';
import { noSandbox } from '../../packages/truecast/src/sandboxes/no-sandbox.ts';
import type { ModelScript } from '../../packages/testing/src/scripted-model/model-script.ts';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import {
  scriptedModelServer,
  type ScriptedModelServer,
} from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { FORM } from '../matrix.ts';
import { CLI_BIN_DIR, describeRealCli, makeWorkplace, type Workplace } from './real-cli.ts';

const KEY = 'sk-test';

describeRealCli('copilot', 'run() with the real Copilot', () => {
  const saved = { ...process.env };
  let work: Workplace;
  let server: ScriptedModelServer | undefined;

  beforeEach(async () => {
    work = await makeWorkplace({ 'a.txt': 'a\n' });
    process.env['HOME'] = work.home;
    process.env['PATH'] = `${CLI_BIN_DIR}${delimiter}${saved['PATH'] ?? ''}`;
  });
  afterEach(async () => {
    Object.assign(process.env, saved);
    await server?.close();
    await work[Symbol.asyncDispose]();
  });

  async function start(script: ModelScript): Promise<Omit<RunOptions, 'output' | 'prompt'>> {
    server = await scriptedModelServer({ script, key: KEY });
    const env = {
      COPILOT_PROVIDER_BASE_URL: server.openaiUrl,
      COPILOT_PROVIDER_API_KEY: KEY,
      COPILOT_OFFLINE: 'true',
    };
    return {
      agent: copilot('scripted', { env }),
      sandbox: noSandbox(),
      branchStrategy: { type: 'head' },
      cwd: work.repo,
    };
  }

  /** A start takes 1.6 s. The short form begins the session with the turn that times out. */
  it('takes a prompt that is longer than an argument, resumes its session after a timeout, and counts only its own tokens', async () => {
    const isWhole = FORM === 'whole';
    const used = { usage: { inputTokens: 100, outputTokens: 10 } };
    const options = await start([
      ...(isWhole ? [() => reply.text('First.', used)] : []),
      () => reply.shell('sleep 60', used),
      () => reply.text('Third.', { usage: { inputTokens: 300, outputTokens: 30 } }),
    ]);
    const prompt = `--help\n${'x'.repeat(400_000)}`;
    const first = isWhole ? await run({ ...options, prompt }) : undefined;
    if (first !== undefined) expect(first.usage).toMatchObject(used.usage);

    const known = first?.iterations[0]?.sessionId;
    const failure: unknown = await run({
      ...options,
      prompt: isWhole ? 'two' : prompt,
      timeouts: { idleMs: 8_000 },
      ...(known !== undefined && { session: { resume: known } }),
    }).catch((error: unknown) => error);
    if (!AgentError.isInstance(failure)) throw failure;
    const { sessionId: resume = '' } = failure;
    expect(failure.code).toBe('idle-timeout');
    expect(resume).toEqual(known ?? expect.stringMatching(/^[0-9a-f-]{36}$/u));
    expect(server?.turns[0]?.userText).toContain(prompt);

    const third = await run({ ...options, prompt: 'three', session: { resume } });
    expect(third.usage).toMatchObject({ inputTokens: 300, outputTokens: 30 });
    expect(JSON.stringify(server?.turns.at(-1)?.messages)).toContain(isWhole ? 'two' : 'sleep 60');
  });
});
