/** Streams whose script exits while the host works: used when complete, ended before the close. */
import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { createEndingStreams } from './ending-streams.ts';
import { type GuestStream, readGuestStream, type ByteSink } from './read-stream.ts';

/** A stream whose script exits only when it is killed. */
function lingering(text: string): { readonly stream: GuestStream; readonly killCount: () => number } {
  const { promise: ended, resolve } = Promise.withResolvers<{ exitCode: number; stderrTail: string }>();
  let kills = 0;
  const kill = (): void => {
    kills += 1;
    resolve({ exitCode: 137, stderrTail: '' });
  };
  return { stream: { stdout: Readable.from([Buffer.from(text)]), ended, kill }, killCount: () => kills };
}

const sink = (result: string | undefined): ByteSink<string> => ({
  push: () => Promise.resolve(),
  end: () => Promise.resolve(result),
});

it('uses a complete stream without waiting for its script, which is ended at the close', async () => {
  const { stream, killCount } = lingering('all');
  const streams = createEndingStreams(1);
  const added = streams.add(stream);
  expect(await readGuestStream(added, sink('all'), { timeoutMs: 60_000 })).toBe('all');
  expect(killCount()).toBe(0);
  await streams.end();
  expect(killCount()).toBe(1);
});

it('kills the script of a refused stream at once', async () => {
  const { stream, killCount } = lingering('some');
  const refusing: ByteSink<string> = {
    push: () => Promise.reject(new RangeError('too long')),
    end: () => Promise.resolve('never'),
  };
  const added = createEndingStreams().add(stream);
  await expect(readGuestStream(added, refusing, { timeoutMs: 60_000 })).rejects.toThrow('truncated');
  expect(killCount()).toBe(1);
});

it('does not kill a script that exits by itself', async () => {
  const { stream, killCount } = lingering('all');
  const streams = createEndingStreams(60_000);
  streams.add({ ...stream, ended: Promise.resolve({ exitCode: 0, stderrTail: '' }) });
  await streams.end();
  expect(killCount()).toBe(0);
});

it('waits for the script of any other sandbox', async () => {
  const { stream } = lingering('all');
  let hasEnded = false;
  const ended = new Promise<{ exitCode: number; stderrTail: string }>((resolve) => {
    setImmediate(() => {
      hasEnded = true;
      resolve({ exitCode: 0, stderrTail: '' });
    });
  });
  await readGuestStream({ ...stream, ended }, sink('all'), { timeoutMs: 60_000 });
  expect(hasEnded).toBe(true);
});
