/** Types of read-only runs: their results have no work. */
import { Output } from '@truecast/core/internal/output/output';
import { expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { claudeCode } from '../agents/claude-code/claude-code.ts';
import { noSandbox } from '../sandboxes/no-sandbox.ts';
import { createSandbox } from './create-sandbox.ts';
import type { RunOptions } from './options/run-options.ts';
import { run } from './run.ts';

const place = { agent: claudeCode(), sandbox: noSandbox(), prompt: 'p' };
const output = Output.object({ schema: z.object({ n: z.number() }), question: true });
type Work =
  | 'branch'
  | 'commits'
  | 'recovered'
  | 'preservedWorktreePath'
  | 'pullRequestUrl'
  | 'sensitiveChanges';

it('a result has no branch and no commits', () => {
  const read = () => run({ ...place, readOnly: true });
  type Read = Awaited<ReturnType<typeof read>>;
  expectTypeOf<Extract<keyof Read, Work>>().toBeNever();
  expectTypeOf<Read['text']>().toBeString();
  const written = () => run({ ...place, readOnly: false });
  expectTypeOf<Awaited<ReturnType<typeof written>>['branch']>().toBeString();
});

it('a typed answer, a question and a continued session are typed', async () => {
  const result = await run({ ...place, readOnly: true, output });
  if (result.output.outcome === 'answered') expectTypeOf(result.output.answer).toEqualTypeOf<{ n: number }>();
  const answered = await result.answer?.('yes');
  expectTypeOf<Extract<keyof NonNullable<typeof answered>, Work>>().toBeNever();
  const next = await result.resume?.('again', { output: Output.string({ tag: 'r' }) });
  expectTypeOf<NonNullable<typeof next>['output']>().toBeString();
  expectTypeOf<Extract<keyof NonNullable<typeof next>, Work>>().toBeNever();
});

it('options that contradict it are type errors', () => {
  // @ts-expect-error nothing is merged
  void run({ ...place, readOnly: true, branchStrategy: { type: 'merge-to-head' } });
  // @ts-expect-error nothing is published
  void run({ ...place, readOnly: true, publish: 'pull-request' });
  // @ts-expect-error the branch is thrown away
  void createSandbox({ sandbox: noSandbox(), readOnly: true, branch: 'work' });
  expectTypeOf<RunOptions['readOnly']>().toEqualTypeOf<false | undefined>();
});

it('a sandbox has no branch, and its runs have no work', async () => {
  await using sandbox = await createSandbox({ sandbox: noSandbox(), readOnly: true });
  expectTypeOf<Extract<keyof typeof sandbox, 'branch' | 'interactive'>>().toBeNever();
  const result = await sandbox.run({ agent: claudeCode(), prompt: 'p', output });
  expectTypeOf<Extract<keyof typeof result, Work>>().toBeNever();
});
