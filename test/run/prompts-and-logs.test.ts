import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SandboxError } from '../../packages/core/src/errors/sandbox-error.ts';
import { UsageError } from '../../packages/core/src/errors/usage-error.ts';
import { run } from '../../packages/truecast/src/run/run.ts';
import type { AgentStreamEvent } from '../../packages/truecast/src/run/events/agent-stream-event.ts';
import { answerOutput, makeRepository, runOptions, temporaryFolder } from './fixture.ts';
import { stateFolderOf } from '../../packages/host/src/state-folder.ts';

const failureOf = async (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );

function promptFile(text: string): string {
  const path = join(temporaryFolder(), 'prompt.md');
  writeFileSync(path, text);
  return path;
}

it('ends an expression of a prompt file after `timeouts.promptExpressionMs`', async () => {
  const slow = promptFile('!`sleep 300`');
  const timeouts = { promptExpressionMs: 50 };
  await expect(run(runOptions('true', { promptFile: slow, timeouts }))).rejects.toMatchObject({
    code: 'timeout',
    message: expect.stringContaining('raise `timeouts.promptExpressionMs`') as string,
  });
});

describe('a prompt file', () => {
  it('gets its arguments, built-in branches and the output of its commands in the worktree', async () => {
    const cwd = makeRepository();
    const file = promptFile('Issue {{ ISSUE }} from {{SOURCE_BRANCH}} to {{TARGET_BRANCH}}: !`cat a.txt`');
    const result = await run(
      runOptions('cat', {
        cwd,
        promptFile: file,
        promptArgs: { ISSUE: 42 },
        branchStrategy: { type: 'branch', branch: 'topic' },
      }),
    );
    expect(result.stdout).toBe('Issue 42 from topic to main: one');
  });

  it('never runs a command that a value brings', async () => {
    const file = promptFile('{{TEXT}} and !`echo {{TEXT}}`');
    const text = "!`touch pwned` $(touch pwned) '; touch pwned; '";
    const result = await run(runOptions('cat; ls', { promptFile: file, promptArgs: { TEXT: text } }));
    expect(result.stdout).toContain(text);
    expect(result.stdout).not.toContain('pwned\n');
  });

  it('fails before the agent starts when one of its commands fails', async () => {
    const error = await failureOf(
      run(runOptions('cat', { promptFile: promptFile('!`exit 3` !`sleep 20`') })),
    );
    expect(error).toBeInstanceOf(SandboxError);
    expect((error as Error).message).toContain('exit 3');
  });

  it('is refused without a value for each placeholder', async () => {
    const error = await failureOf(
      run(runOptions('cat', { promptFile: promptFile('{{A}} {{B}}'), promptArgs: { A: 1 } })),
    );
    expect(error).toBeInstanceOf(UsageError);
    expect((error as Error).message).toContain('B');
  });

  it('can contain the tag through an argument or a command', async () => {
    const agent = `cat > /dev/null; echo '<result>{"answer":1}</result>'`;
    const byArgument = { promptFile: promptFile('Answer in <{{TAG}}>.'), promptArgs: { TAG: 'result' } };
    expect((await run({ ...runOptions(agent, byArgument), output: answerOutput })).output.answer).toBe(1);
    const byCommand = { promptFile: promptFile("Answer in !`echo '<result>'`.") };
    expect((await run({ ...runOptions(agent, byCommand), output: answerOutput })).output.answer).toBe(1);
    const nowhere = { promptFile: promptFile('Answer !`echo somewhere`.') };
    expect(await failureOf(run({ ...runOptions(agent, nowhere), output: answerOutput }))).toBeInstanceOf(
      UsageError,
    );
  });
});

describe('the environment of an agent', () => {
  it('holds what `.truecast/.env` declares, with empty values from the host', async () => {
    const cwd = makeRepository();
    mkdirSync(join(cwd, '.truecast'));
    writeFileSync(join(cwd, '.truecast', '.env'), 'FROM_FILE="a b"\nFROM_HOST=\n# no\n');
    process.env['FROM_HOST'] = 'host';
    const result = await run(runOptions('echo "$FROM_FILE|$FROM_HOST|$OWN"', { cwd, env: { OWN: 'own' } }));
    delete process.env['FROM_HOST'];
    expect(result.stdout).toBe('a b|host|own\n');
  });
});

describe('the log of a run', () => {
  it('logs the run in order, and masks secrets', async () => {
    const cwd = makeRepository();
    const result = await run(
      runOptions('for i in $(seq 1 500); do echo "line $i"; done; echo "key $MY_API_KEY"', {
        cwd,
        env: { MY_API_KEY: 'sk-very-secret-value' },
        name: 'My run',
      }),
    );
    const log = readFileSync(result.logFilePath ?? '', 'utf8');
    expect(result.logFilePath).toContain(join(stateFolderOf(cwd), 'logs'));
    expect(result.logFilePath).toContain('my-run');
    const numbers = [...log.matchAll(/line (\d+)/gu)].map((match) => Number(match[1]));
    expect(numbers).toEqual(Array.from({ length: 500 }, (_, index) => index + 1));
    expect(log).not.toContain('sk-very-secret-value');
    expect(log).toContain('Run started');
  });

  it('is heard by a callback, whose faults are its own', async () => {
    const seen: AgentStreamEvent[] = [];
    const onAgentStreamEvent = (event: AgentStreamEvent): void => {
      seen.push(event);
      throw new Error('listener');
    };
    await run(runOptions('echo hi', { logging: { type: 'file', onAgentStreamEvent } }));
    expect(seen).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ type: 'text', message: 'hi\n', iteration: 1 }),
        expect.objectContaining({ type: 'raw', line: 'hi', iteration: 1 }),
      ]),
    );
  });
});
