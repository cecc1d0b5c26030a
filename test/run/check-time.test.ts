/** Time limit of checks: one that never ends refuses its answer or its branch, and its commands end. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { z } from 'zod';
import { Output } from '../../packages/core/src/output/output.ts';
import { merge } from '../../packages/truecast/src/run/merge/merge.ts';
import { createSandbox } from '../../packages/truecast/src/run/create-sandbox.ts';
import { createWorktree } from '../../packages/truecast/src/run/create-worktree.ts';
import { run } from '../../packages/truecast/src/run/run.ts';
import { noSandbox } from '../../packages/truecast/src/sandboxes/no-sandbox.ts';
import { askingAgent, printed } from './asking-agent.ts';
import { commitLine, git, isRunning, makeRepository, runOptions, temporaryFolder } from './fixture.ts';

const LIMIT = { checkMs: 1_500 };
const LATE = /The check did not end within 1\.5 s\. .*`timeouts\.checkMs`/u;

/** Shell command that writes its process id, and never ends. */
function endless(): { readonly command: string; expectEnded(): Promise<void> } {
  const file = join(temporaryFolder(), 'pid');
  return {
    command: `echo $$ > '${file}'; exec sleep 600`,
    async expectEnded() {
      const pid = readFileSync(file, 'utf8').trim();
      await vi.waitFor(() => expect(isRunning(pid)).toBe(false), { timeout: 20_000 });
    },
  };
}

it('merge() refuses the branch whose check never ends, and lands the others', async () => {
  const cwd = makeRepository();
  for (const name of ['one', 'two', 'three']) {
    git(cwd, 'switch', '-q', '-c', name, 'main');
    execFileSync('sh', ['-c', commitLine(`${name}.txt`)], { cwd });
  }
  git(cwd, 'switch', '-q', 'main');
  const { command, expectEnded } = endless();
  const { merged, kept } = await merge(['one', 'two', 'three'], {
    cwd,
    sandbox: noSandbox(),
    timeouts: { checkMs: 6_000 },
    check: async ({ exec }) => {
      await exec(`if test -e two.txt; then ${command}; fi`);
      return undefined;
    },
  });
  expect(merged.map(({ branch }) => branch)).toEqual(['one', 'three']);
  expect(kept).toMatchObject([
    {
      branch: 'two',
      error: { code: 'check-failed', message: expect.stringContaining('did not end within 6 s') as unknown },
    },
  ]);
  await expectEnded();
});

it('a run whose check before its merge never ends keeps its branch', async () => {
  const cwd = makeRepository();
  const { command, expectEnded } = endless();
  const running = run(
    runOptions(commitLine('a.txt'), {
      cwd,
      timeouts: LIMIT,
      branchStrategy: {
        type: 'merge-to-head',
        check: async ({ exec }) => {
          await exec(command);
          return undefined;
        },
      },
    }),
  );
  await expect(running).rejects.toMatchObject({
    code: 'check-failed',
    message: expect.stringMatching(LATE) as unknown,
  });
  await expectEnded();
});

it('a place and a merge refuse a timeout that no timer keeps', async () => {
  const cwd = makeRepository();
  const timeouts = { checkMs: Infinity };
  const refused = { code: 'invalid-option', message: expect.stringContaining('at most 24 days') as unknown };
  await expect(merge('main', { cwd, timeouts })).rejects.toMatchObject(refused);
  await expect(createSandbox({ cwd, branch: 'work', sandbox: noSandbox(), timeouts })).rejects.toMatchObject(
    refused,
  );
  await expect(
    createWorktree({ cwd, branchStrategy: { type: 'branch', branch: 'w' }, timeouts }),
  ).rejects.toMatchObject(refused);
});

it.each(['check', 'until'] as const)('an abort ends a run whose `%s` ignores it', async (name) => {
  const started = Promise.withResolvers<void>();
  const stop = new AbortController();
  const waits = (): Promise<never> => {
    started.resolve();
    return new Promise(() => undefined);
  };
  const schema = z.object({ done: z.boolean() });
  const { agent } = askingAgent([printed({ done: true })]);
  const running = run({
    ...runOptions('', { agent, cwd: makeRepository(), signal: stop.signal }),
    output: Output.object({ tag: 'result', schema, ...(name === 'check' && { check: waits }) }),
    ...(name === 'until' && { until: waits }),
  });
  const ended = expect(running).rejects.toThrow('enough');
  await started.promise;
  stop.abort(new Error('enough'));
  await ended;
});

it('an answer whose check never ends is refused, also by a check that ignores its signal', async () => {
  const cwd = makeRepository();
  const { command, expectEnded } = endless();
  let calls = 0;
  const output = Output.object({
    tag: 'result',
    schema: z.object({ done: z.boolean() }),
    maxCorrections: 2,
    retry: 'fresh',
    check: async (_value, { exec }) => {
      calls += 1;
      if (calls === 1) await exec(command);
      if (calls === 2) await new Promise<never>(() => undefined);
      return undefined;
    },
  });
  const result = await run({
    ...runOptions(`echo '<result>{"done":true}</result>'`, { cwd, timeouts: LIMIT }),
    output,
  });
  expect(result.output).toEqual({ done: true });
  expect(result.provenance.attempts.slice(0, 2).map(({ message }) => message)).toEqual([
    expect.stringMatching(LATE),
    expect.stringMatching(LATE),
  ]);
  await expectEnded();
});
