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

  it('takes a prompt that is longer than an argument, resumes its session after a timeout, and counts only its own tokens', async () => {
    const options = await start([
      () => reply.text('First.', { usage: { inputTokens: 100, outputTokens: 10 } }),
      () => reply.shell('sleep 60'),
      () => reply.text('Third.', { usage: { inputTokens: 300, outputTokens: 30 } }),
    ]);
    const prompt = `--help\n${'x'.repeat(400_000)}`;
    const first = await run({ ...options, prompt });
    expect(server?.turns[0]?.userText).toContain(prompt);
    expect(first.usage).toMatchObject({ inputTokens: 100, outputTokens: 10 });

    const resumeSession = first.iterations[0]?.sessionId ?? '';
    const failure: unknown = await run({
      ...options,
      prompt: 'two',
      timeouts: { idleMs: 8_000 },
      session: { resume: resumeSession },
    }).catch((error: unknown) => error);
    if (!AgentError.isInstance(failure)) throw failure;
    expect(failure).toMatchObject({ code: 'idle-timeout', sessionId: resumeSession });

    const third = await run({ ...options, prompt: 'three', session: { resume: resumeSession } });
    expect(third.usage).toMatchObject({ inputTokens: 300, outputTokens: 30 });
    expect(JSON.stringify(server?.turns.at(-1)?.messages)).toContain('two');
  });
});
