import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { StructuredOutputError } from '../../packages/core/src/errors/structured-output-error.ts';
import { Output } from '../../packages/core/src/output/output.ts';
import { command } from '../../packages/truecast/src/agents/command.ts';
import { run } from '../../packages/truecast/src/run/run.ts';
import { scriptedAgent } from '../../packages/testing/src/scripted-agent/scripted-agent.ts';
import { step } from '../../packages/testing/src/scripted-agent/agent-step.ts';
import { answerOutput, commitLine, git, makeRepository, PRINT_ANSWER, runOptions } from './fixture.ts';
import { stateFolderOf } from '../../packages/host/src/state-folder.ts';

const failureOf = async (promise: Promise<unknown>): Promise<StructuredOutputError> => {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!StructuredOutputError.isInstance(error)) throw error ?? new Error('The run did not fail.');
  return error;
};

describe('the answer of a run', () => {
  it('is validated and typed, beside its commits and its provenance', async () => {
    const cwd = makeRepository();
    const result = await run({
      ...runOptions(`${commitLine('b.txt')} && ${PRINT_ANSWER}`, { cwd }),
      output: answerOutput,
    });
    expect(result.output.answer).toBe(42);
    expect(result.commits).toEqual([{ sha: git(cwd, 'rev-parse', 'HEAD') }]);
    expect(result.branch).toBe('main');
    expect(result.provenance).toMatchObject({
      mode: 'tag',
      raw: '{"answer":42}',
      agent: 'command',
      attempts: [{ code: 'ok' }],
    });
    expect(result.text.slice(result.provenance.span?.start, result.provenance.span?.end)).toContain(
      '{"answer":42}',
    );
  });

  it('is found when its text came in pieces, before a last word', async () => {
    const agent = scriptedAgent({
      steps: [
        step.print('<res'),
        step.pause(30),
        step.print('ult>{"ans'),
        step.pause(30),
        step.print('wer":42}</result>\n'),
        step.print('All done!\n'),
      ],
    });
    const result = await run({ ...runOptions('', { agent }), output: answerOutput });
    expect(result.output).toEqual({ answer: 42 });
  });

  it('refuses an integer that no JavaScript number holds, and the agent corrects it', async () => {
    const script = `if grep -q 'above 2^53'; then echo '<result>{"answer":7}</result>'; else echo '<result>{"answer":9007199254740993}</result>'; fi`;
    const output = { ...answerOutput, retry: 'fresh', maxCorrections: 1 } as const;
    const result = await run({ ...runOptions(script), output });
    expect(result.output).toEqual({ answer: 7 });
    expect(result.provenance.attempts).toMatchObject([
      { code: 'schema-mismatch', rawMatched: '{"answer":9007199254740993}' },
      { code: 'ok' },
    ]);
    const error = await failureOf(run({ ...runOptions(script), output: answerOutput }));
    expect(error).toMatchObject({ code: 'schema-mismatch', issues: [{ path: ['answer'] }] });
  });

  it('fails with what the agent left behind, and merges nothing', async () => {
    const cwd = makeRepository();
    const before = git(cwd, 'rev-parse', 'HEAD');
    const error = await failureOf(
      run({
        ...runOptions(`${commitLine('b.txt')} && echo '<result>{"answer":"?"}</result>'`, {
          cwd,
          branchStrategy: { type: 'merge-to-head' },
        }),
        output: answerOutput,
      }),
    );
    expect(error).toMatchObject({
      code: 'schema-mismatch',
      tag: 'result',
      rawMatched: '{"answer":"?"}',
      issues: [{ path: ['answer'] }],
    });
    expect(error.commits).toHaveLength(1);
    expect(git(cwd, 'rev-parse', 'HEAD')).toBe(before);
    expect(git(cwd, 'rev-parse', error.branch ?? '')).toBe(error.commits[0]?.sha);
    expect(git(error.preservedWorktreePath ?? '', 'status', '--porcelain')).toBe('');
    expect(error.attempts).toMatchObject([{ code: 'schema-mismatch', rawMatched: '{"answer":"?"}' }]);
  });

  it('is requested again in the same worktree, with the failure and the previous answer, if the agent has no session', async () => {
    const agent = scriptedAgent({
      steps: ({ callIndex }) => [
        step.shell(commitLine(`try-${callIndex}.txt`)),
        step.print(callIndex === 0 ? '<result>{"answer":"?"}</result>' : '<result>{"answer":42}</result>'),
      ],
    });
    const output = Output.object({
      tag: 'result',
      schema: z.object({ answer: z.number() }),
      retry: 'fresh',
      maxCorrections: 2,
    });
    const result = await run({
      ...runOptions('', { agent, branchStrategy: { type: 'merge-to-head' } }),
      output,
    });
    expect(result.output.answer).toBe(42);
    expect(result.commits).toHaveLength(2);
    expect(result.iterations).toHaveLength(2);
    expect(result.provenance.attempts.map(({ code }) => code)).toEqual(['schema-mismatch', 'ok']);
    expect(agent.prompts[1]).toContain('{"answer":"?"}');
    expect(agent.prompts[1]).toContain('answer:');
    expect(agent.prompts[1]).toContain('<result>');
  });

  it('fails with every attempt when the last one is wrong too', async () => {
    const agent = scriptedAgent({
      steps: ({ callIndex }) => [step.print(callIndex === 0 ? 'no tag' : '<result>nope</result>')],
    });
    const output = Output.object({
      tag: 'result',
      schema: z.object({ answer: z.number() }),
      retry: 'fresh',
      maxCorrections: 1,
    });
    const error = await failureOf(run({ ...runOptions('', { agent }), output }));
    expect(error.code).toBe('invalid-json');
    expect(error.attempts.map(({ code }) => code)).toEqual(['tag-not-found', 'invalid-json']);
  });

  it('is validated by the check of its output, which runs in the worktree', async () => {
    const checked: string[] = [];
    const output = Output.object({
      tag: 'result',
      schema: z.object({ file: z.string() }),
      retry: 'fresh',
      maxCorrections: 1,
      check: async ({ file }, { exec, worktreePath }) => {
        checked.push(worktreePath);
        return (await exec(`test -e '${file}'`)).exitCode === 0 ? undefined : `there is no file ${file}`;
      },
    });
    const agent = scriptedAgent({
      steps: ({ callIndex }) => [
        step.print(`<result>{"file":"${callIndex === 0 ? 'z' : 'a'}.txt"}</result>`),
      ],
    });
    const result = await run({ ...runOptions('', { agent }), output });
    expect(result.output).toEqual({ file: 'a.txt' });
    expect(result.provenance.attempts[0]?.message).toContain('there is no file z.txt');
    expect(checked).toHaveLength(2);
  });

  it('is never retried when the check itself throws', async () => {
    const output = Output.json({
      tag: 'result',
      retry: 'fresh',
      maxCorrections: 3,
      check: () => {
        throw new RangeError('broken check');
      },
    });
    const error = await failureOf(run({ ...runOptions(PRINT_ANSWER), output }));
    expect(error).toMatchObject({ code: 'validator-error', cause: expect.any(RangeError) as unknown });
    expect(error.attempts).toHaveLength(1);
  });

  it('is previewed as it grows', async () => {
    const seen: unknown[] = [];
    const agent = scriptedAgent({
      steps: [
        step.print('<result>{"words":["a'),
        step.pause(50),
        step.print('bc","d'),
        step.pause(50),
        step.print('ef"]}</result>'),
      ],
    });
    const output = Output.object({ tag: 'result', schema: z.object({ words: z.array(z.string()) }) });
    await run({
      ...runOptions('', { agent }),
      output,
      onPartial: (value) => void seen.push(value),
    });
    // Each value is a copy that stays as it is.
    expect(seen.at(0)).toEqual({ words: ['a'] });
    expect(seen.at(-1)).toEqual({ words: ['abc', 'def'] });
  });

  it('is recorded in the outcome log without its payload', async () => {
    const cwd = makeRepository();
    await run({ ...runOptions(PRINT_ANSWER, { cwd }), output: answerOutput });
    await failureOf(run({ ...runOptions('echo nothing', { cwd }), output: answerOutput }));
    const log = readFileSync(join(stateFolderOf(cwd), 'outcomes.jsonl'), 'utf8');
    const lines = log
      .trim()
      .split('\n')
      .map((line): unknown => JSON.parse(line));
    expect(lines).toMatchObject([{ code: 'ok', mode: 'tag', agent: 'command' }, { code: 'tag-not-found' }]);
    expect(log).not.toContain('42}');
  });
});

it('has no output in its type or value when none was requested', async () => {
  const result = await run(
    runOptions(commitLine('b.txt'), { agent: command({ command: ['sh', '-c', commitLine('b.txt')] }) }),
  );
  expect('output' in result).toBe(false);
});
