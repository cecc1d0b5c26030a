/** Outcomes of a batch: questions and refusals are counted apart, and never repeated. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { Output } from '../../packages/core/src/output/output.ts';
import { command } from '../../packages/truecast/src/agents/command.ts';
import { runBatch } from '../../packages/truecast/src/run/batch/run-batch.ts';
import { noSandbox } from '../../packages/truecast/src/sandboxes/no-sandbox.ts';
import { printed } from './asking-agent.ts';
import { commitLine, git, makeRepository, temporaryFolder } from './fixture.ts';

const output = Output.object({
  tag: 'result',
  schema: z.object({ db: z.string() }),
  question: true,
  decline: true,
});

/** Says what its prompt names, and counts its starts. */
const script = (starts: string): string =>
  [
    'read -r word rest',
    `echo "$word" >> '${starts}'`,
    commitLine('work.txt'),
    `case "$word" in ask) ${printed({ question: { text: 'Which?' } })};; refuse) ${printed({ declined: 'unsafe' })};; fail) exit 1;; *) ${printed({ answer: { db: 'pg' } })};; esac`,
  ].join('\n');

it('has a status for each outcome, counts them apart, and repeats only what failed', async () => {
  const cwd = makeRepository();
  const folder = temporaryFolder();
  const [starts, out] = [join(folder, 'starts'), join(folder, 'out.jsonl')];
  writeFileSync(starts, '');
  const options = {
    cwd,
    out,
    sandbox: noSandbox(),
    prompt: '{{WORD}} in <result>',
    output,
    agent: command({ command: ['sh', '-c', script(starts)] }),
    inputs: ['ask', 'refuse', 'fail', 'answer'].map((WORD) => ({ WORD })),
    retryFailed: true,
  } as const;
  const statuses = new Map<number, unknown>();
  const summary = await runBatch({
    ...options,
    onResult(result) {
      statuses.set(result.line, result.status);
      if (result.status === 'ok') expectTypeOf(result.output.outcome).toEqualTypeOf<'answered'>();
      if (result.status !== 'question') return;
      expect(result.output).toMatchObject({ outcome: 'question' });
      expect(git(cwd, 'log', '-1', '--format=%s', String(result.branch))).toBe('add work.txt');
    },
  });
  expect(Object.fromEntries(statuses)).toEqual({
    1: 'question',
    2: 'declined',
    3: 'failed',
    4: 'ok',
  });
  expect(summary).toMatchObject({ ok: 1, question: 1, declined: 1, failed: 1 });
  expect(git(cwd, 'log', '--format=%s', 'main')).toBe('begin');

  const again = await runBatch(options);
  expect(again).toMatchObject({
    ok: 0,
    question: 0,
    declined: 0,
    failed: 1,
    okEarlier: 1,
    questionEarlier: 1,
    declinedEarlier: 1,
    failedEarlier: 0,
  });
  const counts = readFileSync(starts, 'utf8').trim().split('\n').toSorted();
  expect(counts).toEqual(['answer', 'ask', 'fail', 'fail', 'refuse']);
});
