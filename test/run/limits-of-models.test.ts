/** Rate and usage limits: `policies.onLimit`. Fake programs replace the agent's CLI. */
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { claudeCode } from '../../packages/truecast/src/agents/claude-code/claude-code.ts';
import { command } from '../../packages/truecast/src/agents/command.ts';
import { AgentError } from '../../packages/core/src/errors/agent-error.ts';
import { LimitError } from '../../packages/core/src/errors/limit-error.ts';
import { run } from '../../packages/truecast/src/run/run.ts';
import type { AgentProvider } from '../../packages/truecast/src/ports/agent-provider.ts';
import type { RunOptions } from '../../packages/truecast/src/run/options/run-options.ts';
import { answerOutput, makeRepository, runOptions } from './fixture.ts';

const SESSION = '11111111-1111-4111-8111-111111111111';
const INIT = JSON.stringify({ type: 'system', subtype: 'init', session_id: SESSION });
const limitLine = (resetsAt: number): string =>
  JSON.stringify({ type: 'rate_limit_event', rate_limit_info: { status: 'rejected', resetsAt } });
const LIMITED = JSON.stringify({
  type: 'result',
  subtype: 'success',
  is_error: true,
  result: "You've hit your session limit",
});
const ANSWERED = JSON.stringify({
  type: 'result',
  subtype: 'success',
  result: '<result>{"answer":42}</result>',
});

interface FakeClaude {
  readonly agent: AgentProvider;
  readonly options: Pick<RunOptions, 'cwd' | 'env'>;
  readonly prompts: () => readonly string[];
  readonly args: () => string;
}

/** A program `claude` that prints one list of lines per start, and saves its prompts and arguments. */
function fakeClaude(...starts: readonly (readonly string[])[]): FakeClaude {
  const cwd = makeRepository();
  const folder = join(dirname(cwd), 'bin');
  mkdirSync(folder);
  starts.forEach((lines, index) => writeFileSync(join(folder, `out-${index + 1}`), `${lines.join('\n')}\n`));
  const script = `#!/bin/sh
n=$(cat ${folder}/count 2>/dev/null || echo 0); n=$((n + 1)); echo $n > ${folder}/count
cat > ${folder}/prompt-$n; echo "$@" >> ${folder}/args; cat ${folder}/out-$n
grep -q hang ${folder}/out-$n && sleep 300
exit 0
`;
  writeFileSync(join(folder, 'claude'), script);
  chmodSync(join(folder, 'claude'), 0o755);
  const promptAt = (index: number): string => join(folder, `prompt-${index}`);
  return {
    agent: claudeCode(undefined, { captureSessions: false }),
    options: { cwd, env: { PATH: `${folder}:${process.env['PATH'] ?? ''}` } },
    prompts: () =>
      [1, 2, 3]
        .filter((index) => existsSync(promptAt(index)))
        .map((index) => readFileSync(promptAt(index), 'utf8')),
    args: () => readFileSync(join(folder, 'args'), 'utf8'),
  };
}

const refusal = (status: number): string =>
  JSON.stringify({ type: 'system', subtype: 'api_retry', attempt: 1, max_retries: 10, error_status: status });

describe('a request that the model service refused', () => {
  const withKey = { ANTHROPIC_API_KEY: 'sk-wrong' };

  it.each([401, 403])(
    'with %i ends the run at once, with the evidence, if the key is fixed',
    async (status) => {
      const { agent, options } = fakeClaude([INIT, refusal(status), 'hang']);
      const env = { ...options.env, ...withKey };
      await expect(run({ ...runOptions(''), ...options, env, agent })).rejects.toMatchObject({
        name: 'AgentError',
        code: 'authentication',
        statusCode: status,
        sessionId: SESSION,
      });
    },
  );

  it('is left to the CLI if it can refresh its login, or if the status is another', async () => {
    const { agent, options } = fakeClaude([INIT, refusal(401), ANSWERED], [INIT, refusal(529), ANSWERED]);
    const noKey = { ANTHROPIC_API_KEY: '', ANTHROPIC_AUTH_TOKEN: '', CLAUDE_CODE_OAUTH_TOKEN: '' };
    await run({ ...runOptions(''), ...options, env: { ...options.env, ...noKey }, agent });
    await run({ ...runOptions(''), ...options, env: { ...options.env, ...withKey }, agent });
  });

  it('at the end of the agent is an error of its own, with any login', async () => {
    const refused = JSON.stringify({
      ...(JSON.parse(LIMITED) as object),
      result: 'no',
      api_error_status: 401,
    });
    const { agent, options } = fakeClaude([INIT, refused]);
    await expect(run({ ...runOptions(''), ...options, agent })).rejects.toMatchObject({
      code: 'authentication',
    });
  });
});

const inSeconds = (seconds: number): number => Math.floor(Date.now() / 1000) + seconds;

describe('a usage limit of the model service', () => {
  it('fails the run by default, with the time of its reset', async () => {
    const resetsAt = inSeconds(3600);
    const { agent, options, prompts } = fakeClaude([INIT, limitLine(resetsAt), LIMITED]);
    const error: unknown = await run({ ...runOptions(''), ...options, agent }).catch(
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(AgentError);
    expect(error).toMatchObject({
      code: 'rate-limit',
      resetsAt: new Date(resetsAt * 1000),
      sessionId: SESSION,
    });
    expect((error as AgentError).message).toContain("set `policies.onLimit: 'wait'`");
    expect(prompts()).toHaveLength(1);
  });

  it('is waited for, and the run continues in the same session', async () => {
    const { agent, options, prompts, args } = fakeClaude(
      [INIT, limitLine(inSeconds(0)), LIMITED],
      [INIT, ANSWERED],
    );
    const result = await run({
      ...runOptions(''),
      ...options,
      agent,
      policies: { onLimit: 'wait' },
      output: answerOutput,
    });
    expect(result.output.answer).toBe(42);
    expect(result.iterations).toHaveLength(2);
    expect(result.provenance.attempts).toHaveLength(1);
    expect(result.warnings.join('\n')).toMatch(/reached a limit of its model service\. It continues at 20/u);
    expect(prompts()[1]).toContain('Continue your task');
    expect(args().split('\n')[1]).toContain(`--resume ${SESSION}`);
  });

  it('is not waited for beyond `timeouts.limitWaitMs`', async () => {
    const { agent, options, prompts } = fakeClaude([INIT, limitLine(inSeconds(3600)), LIMITED]);
    const running = run({
      ...runOptions(''),
      ...options,
      agent,
      timeouts: { limitWaitMs: 60_000 },
      policies: { onLimit: 'wait' },
    });
    await expect(running).rejects.toMatchObject({
      code: 'rate-limit',
      message: expect.stringContaining('raise `timeouts.limitWaitMs`') as string,
    });
    expect(prompts()).toHaveLength(1);
  });

  it('is waited for until the run is aborted', async () => {
    const { agent, options } = fakeClaude([INIT, limitLine(inSeconds(3600)), LIMITED]);
    const controller = new AbortController();
    const { signal } = controller;
    const running = run({ ...runOptions(''), ...options, agent, policies: { onLimit: 'wait' }, signal });
    const failure = running.catch((reason: unknown) => reason);
    for await (const event of running) if (event.type === 'warning') break;
    controller.abort('enough');
    expect(await failure).toBe('enough');
  });

  it('is waited for until `timeouts.runMs`', async () => {
    const { agent, options } = fakeClaude([INIT, limitLine(inSeconds(3600)), LIMITED]);
    const running = run({
      ...runOptions(''),
      ...options,
      agent,
      timeouts: { runMs: 1_000 },
      policies: { onLimit: 'wait' },
    });
    await expect(running).rejects.toBeInstanceOf(LimitError);
  });

  it('starts an agent without sessions again with its prompt', async () => {
    const cwd = makeRepository();
    const seen = join(dirname(cwd), 'seen');
    const agent = command({
      command: ['sh', '-c', `cat >> ${seen}; echo "$(cat ${seen} | wc -l)"`],
      parse: (line) =>
        line.trim() === '1' ? { type: 'error', message: 'rate limit: try again in 10ms' } : { type: 'end' },
    });
    const result = await run({
      ...runOptions('', { cwd, prompt: 'Work.\n' }),
      agent,
      policies: { onLimit: 'wait' },
    });
    expect(result.iterations).toHaveLength(2);
    expect(readFileSync(seen, 'utf8')).toBe('Work.\nWork.\n');
  });
});
