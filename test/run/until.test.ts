/** `until` of a run: the agent continues in its session until the caller accepts its answer. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { LimitError } from '../../packages/core/src/errors/limit-error.ts';
import { Output } from '../../packages/core/src/output/output.ts';
import { command } from '../../packages/truecast/src/agents/command.ts';
import type { BatchResult } from '../../packages/truecast/src/run/batch/batch-queue.ts';
import { runBatch } from '../../packages/truecast/src/run/batch/run-batch.ts';
import { createSandbox } from '../../packages/truecast/src/run/create-sandbox.ts';
import { run } from '../../packages/truecast/src/run/run.ts';
import { noSandbox } from '../../packages/truecast/src/sandboxes/no-sandbox.ts';
import { askingAgent, printed } from './asking-agent.ts';
import { commitLine, git, makeRepository, runOptions, temporaryFolder } from './fixture.ts';

const schema = z.object({ left: z.number() });
const output = Output.object({ tag: 'result', schema });
const isDone = ({ left }: { readonly left: number }): boolean => left === 0;

/** Commits once in each turn, and says how much is left. */
const turn = (left: number): string => `${commitLine(`${left}.txt`)}; ${printed({ left })}`;

it('continues in one session until the answer is accepted, and lands the work of all rounds', async () => {
  const cwd = makeRepository();
  const { agent, starts } = askingAgent([turn(2), turn(1), turn(0)]);
  const rounds: unknown[] = [];
  const result = await run({
    ...runOptions('', { cwd, agent, branchStrategy: { type: 'merge-to-head' } }),
    output,
    until(answer, round) {
      rounds.push([answer.left, round]);
      return answer.left === 0 || (answer.left === 1 && 'One is left.');
    },
  });
  expect(result.output).toEqual({ left: 0 });
  expect(rounds).toEqual([
    [2, 1],
    [1, 2],
    [0, 3],
  ]);
  const form = 'Continue with the task, then send the whole answer again between <result> and </result>.';
  expect(starts.map(({ prompt, resumeSession }) => [prompt, resumeSession])).toEqual([
    ['Answer in <result>.', undefined],
    [`The answer does not complete the task.\n\n${form}`, 'session-1'],
    [`One is left.\n\n${form}`, 'session-1'],
  ]);
  expect(result.provenance.attempts.map(({ code }) => code)).toEqual(['ok', 'ok', 'ok']);
  expect(git(cwd, 'log', '--format=%s', 'main').split('\n')).toEqual(
    ['0', '1', '2'].map((n) => `add ${n}.txt`).concat('begin'),
  );
});

it('ends after the last round with its answer, and keeps the branch', async () => {
  const cwd = makeRepository();
  const { agent, starts } = askingAgent([turn(3), turn(2)]);
  const error: unknown = await run({
    ...runOptions('', { cwd, agent, branchStrategy: { type: 'merge-to-head' } }),
    output,
    until: ({ left }) => isDone({ left }) || `${left} are left.`,
    maxRounds: 2,
  }).catch((thrown: unknown) => thrown);
  expect(LimitError.isInstance(error)).toBe(true);
  expect(error).toMatchObject({ code: 'rounds', output: { left: 2 }, sessionId: 'session-1' });
  expect(String(error)).toContain('did not accept the answers of 2 rounds: 2 are left.');
  expect(starts).toHaveLength(2);
  const { branch = '', commits } = error as LimitError;
  expect(commits).toHaveLength(2);
  expect(git(cwd, 'log', '--format=%s', branch).split('\n')).toEqual(['add 2.txt', 'add 3.txt', 'begin']);
  expect(git(cwd, 'log', '--format=%s', 'main')).toBe('begin');
});

it('has at most 5 rounds by default', async () => {
  const { agent, starts } = askingAgent([9, 8, 7, 6, 5, 4].map((left) => printed({ left })));
  const failing = run({ ...runOptions('', { agent }), output, until: isDone });
  await expect(failing).rejects.toMatchObject({ code: 'rounds', output: { left: 5 } });
  expect(starts).toHaveLength(5);
});

it('corrects an invalid answer in each round, with as many corrections', async () => {
  const bad = printed({ left: 'some' });
  const { agent, starts } = askingAgent([bad, printed({ left: 1 }), bad, printed({ left: 0 })]);
  const corrected = Output.object({ tag: 'result', schema, maxCorrections: 1 });
  const seen: number[] = [];
  const result = await run({
    ...runOptions('', { agent }),
    output: corrected,
    until: ({ left }) => seen.push(left) > 0 && left === 0,
  });
  expect([result.output.left, seen, starts.length]).toEqual([0, [1, 0], 4]);
  const failing = askingAgent([printed({ left: 1 }), bad, bad]);
  await expect(
    run({ ...runOptions('', { agent: failing.agent }), output: corrected, until: isDone }),
  ).rejects.toMatchObject({ code: 'schema-mismatch' });
});

it('starts an agent without sessions again with the whole prompt, and its last answer', async () => {
  const fresh = Output.object({ tag: 'result', schema, retry: 'fresh' });
  const { agent, starts } = askingAgent([printed({ left: 1 }), printed({ left: 0 })], { hasSessions: false });
  await run({ ...runOptions('', { agent }), output: fresh, until: isDone });
  expect(starts[1]?.resumeSession).toBeUndefined();
  expect(starts[1]?.prompt).toMatch(
    /^Answer in <result>\.\n\nYour previous answer was:\n\{"left":1\}\n\nThe answer does not complete the task\./u,
  );
});

it('counts the budget and the time of all rounds', async () => {
  const usage = `echo '{"usage":{"inputTokens":100,"outputTokens":0,"cacheCreationInputTokens":0,"cacheReadInputTokens":0}}'`;
  const agent = command({
    command: ['sh', '-c', `${usage}; ${printed({ left: 1 })}`],
    parse: (line) => {
      const text = { type: 'text' as const, text: line };
      return line.startsWith('{"usage"')
        ? ({ type: 'usage' as const, ...(JSON.parse(line) as never as object) } as never)
        : text;
    },
  });
  const fresh = Output.object({ tag: 'result', schema, retry: 'fresh' });
  const running = run({
    ...runOptions('', { agent, budget: { tokens: 250 } }),
    output: fresh,
    until: isDone,
    maxRounds: 50,
  });
  await expect(running).rejects.toMatchObject({ code: 'tokens' });
  const late = run({
    ...runOptions(`sleep 0.2; ${printed({ left: 1 })}`, { timeouts: { runMs: 3_000 } }),
    output: fresh,
    until: isDone,
    maxRounds: 1_000,
  });
  await expect(late).rejects.toMatchObject({ code: 'time' });
});

it('a question ends the rounds, and a continued session has no condition of the first answer', async () => {
  const asked = Output.object({ tag: 'result', schema, question: true });
  const first = askingAgent([printed({ question: { text: 'Which?' } })]);
  const question = await run({
    ...runOptions('', { agent: first.agent }),
    output: asked,
    until: () => false,
  });
  expect(question.output.outcome).toBe('question');

  const { agent } = askingAgent([printed({ left: 0 }), printed({ name: 'x' })]);
  const result = await run({ ...runOptions('', { agent }), output, until: isDone });
  const other = Output.object({ tag: 'result', schema: z.object({ name: z.string() }) });
  const next = await result.resume?.('Name it in <result>.', { output: other });
  expect(next?.output).toEqual({ name: 'x' });
});

it('holds for runs in a sandbox, for read-only runs and for items of a batch', async () => {
  const cwd = makeRepository();
  const counter = join(temporaryFolder(), 'count');
  const counting = (): ReturnType<typeof command> => {
    writeFileSync(counter, '3');
    return command({
      command: [
        'sh',
        '-c',
        `n=$(cat ${counter}); n=$((n-1)); echo $n > ${counter}; echo "<result>{\\"left\\":$n}</result>"`,
      ],
    });
  };
  const fresh = Output.object({ tag: 'result', schema, retry: 'fresh' });
  const shared = { output: fresh, until: isDone, prompt: 'Answer in <result>.' } as const;
  await using sandbox = await createSandbox({ cwd, branch: 'work', sandbox: noSandbox() });
  expect((await sandbox.run({ ...shared, agent: counting() })).output).toEqual({ left: 0 });
  const read = await run({ ...shared, cwd, sandbox: noSandbox(), readOnly: true, agent: counting() });
  expect(read.output).toEqual({ left: 0 });
  const results: BatchResult<{ left: number }>[] = [];
  await runBatch({
    ...shared,
    cwd,
    sandbox: noSandbox(),
    agent: counting(),
    inputs: [{ N: 1 }],
    onResult: (result) => void results.push(result),
  });
  expect(results).toMatchObject([{ status: 'ok', output: { left: 0 } }]);
});

describe('is refused before an agent starts', () => {
  it.each([
    [{ until: isDone }, '`until` needs an `output`'],
    [{ output, until: 'left === 0' }, 'Expected `until` to be a function, got `"left === 0"` (string)'],
    [{ output, maxRounds: 2 }, '`maxRounds` bounds `until`, which is absent'],
    [{ output, until: isDone, maxRounds: 0 }, 'Expected `maxRounds` to be an integer of 1 or more'],
    [{ output, until: isDone }, '`until` needs an agent that can resume a session'],
  ])('%j', async (wrong, message) => {
    const started = run({ ...runOptions('true', { cwd: '/nowhere' }), ...wrong } as never);
    await expect(started).rejects.toThrow(message);
  });

  it('and another verdict ends the run', async () => {
    const { agent } = askingAgent([printed({ left: 1 })]);
    const until = (): never => undefined as never;
    await expect(run({ ...runOptions('', { agent }), output, until })).rejects.toThrow(
      'Expected `until` to return a boolean or a text for the agent, got `undefined`',
    );
  });
});
