/** Tests of the results of `runBatch()` as an iterable. */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, expectTypeOf, it, vi } from 'vitest';
import { command } from '../../packages/truecast/src/agents/command.ts';
import { runBatch } from '../../packages/truecast/src/run/batch/run-batch.ts';
import { noSandbox } from '../../packages/truecast/src/sandboxes/no-sandbox.ts';
import { answerOutput, makeRepository, temporaryFolder } from './fixture.ts';

/** Notes each start in the file `$STARTS`, and answers with the number in the prompt. 0 makes it fail. */
const SCRIPT = `read -r prompt; number=\${prompt##*number }; number=\${number%%[!0-9]*}; echo "$number" >> "$0"
[ "$number" != 0 ] && echo "<result>{\\"answer\\":$number}</result>"`;

interface Asked {
  readonly numbers: readonly number[];
  readonly concurrency?: number;
  readonly out?: string;
  readonly signal?: AbortSignal;
  readonly onResult?: () => void;
}

function start({ numbers, concurrency = 1, ...more }: Asked): {
  readonly batch: ReturnType<typeof runBatch<typeof answerOutput>>;
  readonly starts: () => number;
} {
  const starts = join(temporaryFolder(), 'starts');
  appendFileSync(starts, '');
  const batch = runBatch({
    agent: command({ command: ['sh', '-c', SCRIPT, starts] }),
    sandbox: noSandbox(),
    cwd: makeRepository(),
    inputs: numbers.map((N) => ({ id: N, N })),
    prompt: 'Say number {{N}} in <result>.',
    output: answerOutput,
    concurrency,
    ...more,
  });
  return { batch, starts: () => readFileSync(starts, 'utf8').split('\n').length - 1 };
}

async function collect<TResult>(results: AsyncIterable<TResult>): Promise<readonly TResult[]> {
  const all: TResult[] = [];
  for await (const result of results) all.push(result);
  return all;
}

describe('the results of a batch', () => {
  it('are refused to a loop that begins too late, and are not missing in silence', async () => {
    const { batch } = start({ numbers: [1] });
    await batch;
    await expect(collect(batch)).rejects.toMatchObject({
      code: 'invalid-option',
      message: expect.stringContaining('same tick') as unknown,
    });
  });

  it('arrive one by one, typed, also those that failed', async () => {
    const { batch } = start({ numbers: [1, 0, 3] });
    const said: unknown[] = [];
    for await (const result of batch) {
      if (result.status === 'ok') expectTypeOf(result.output).toEqualTypeOf<{ answer: number }>();
      expect(result.input['id']).toBe(result.id);
      said.push([result.id, result.status === 'ok' ? result.output : result.error.code]);
    }
    expect(said).toEqual([
      [1, { answer: 1 }],
      [0, 'exit'],
      [3, { answer: 3 }],
    ]);
    expect(await batch).toMatchObject({ ok: 2, failed: 1 });
  });

  it('can be collected into an array', async () => {
    const results = await collect(start({ numbers: [1, 2, 3, 4], concurrency: 2 }).batch);
    expect(results.map(({ line }) => line).toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4]);
  });

  it('are not produced faster than they are read', async () => {
    let stored = 0;
    const onResult = (): void => void (stored += 1);
    const { batch, starts } = start({ numbers: [1, 2, 3, 4, 5, 6, 7, 8], concurrency: 2, onResult });
    let read = 0;
    for await (const _result of batch) {
      read += 1;
      // Both workers hold a result then, and begin no other item.
      const held = Math.min(read + 2, 8);
      await vi.waitFor(() => expect(stored).toBe(held), { timeout: 30_000 });
      expect(starts()).toBe(held);
    }
    expect(read).toBe(8);
  });

  it('are stored before they are read', async () => {
    const out = join(temporaryFolder(), 'out.jsonl');
    for await (const { key } of start({ numbers: [1, 2], out }).batch) {
      expect(readFileSync(out, 'utf8')).toContain(key);
    }
    expect(existsSync(out)).toBe(true);
  });

  it('end the batch when the loop is left', async () => {
    const { batch, starts } = start({ numbers: [1, 2, 3, 4, 5, 6] });
    for await (const _result of batch) break;
    const started = starts();
    expect(started).toBeLessThanOrEqual(2);
    await expect(batch).rejects.toMatchObject({ name: 'AbortError' });
    expect(starts()).toBe(started);
  });

  it('throw the reason of an abort', async () => {
    const stop = new AbortController();
    const { batch } = start({ numbers: [1, 2, 3], signal: stop.signal });
    const reason = new Error('enough');
    const read = async (): Promise<void> => {
      for await (const _result of batch) stop.abort(reason);
    };
    await expect(read()).rejects.toBe(reason);
  });

  it('throw what is refused, without an unhandled rejection', async () => {
    const { batch } = start({ numbers: [1], concurrency: 0 });
    await expect(collect(batch)).rejects.toMatchObject({ name: 'UsageError' });
  });

  it('can be ignored: the counts are the same', async () => {
    expect(await start({ numbers: [1, 0] }).batch).toMatchObject({ ok: 1, failed: 1 });
  });
});
