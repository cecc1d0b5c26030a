import { expect, it } from 'vitest';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { closeAll } from './closers.ts';

it('closes all parts in reverse order, and throws the first failure', async () => {
  const ended: string[] = [];
  const closer = (name: string, failure?: Error) => async (): Promise<void> => {
    ended.push(name);
    if (failure !== undefined) throw failure;
  };
  const failure = new UsageError('queue');
  const closers = [closer('store'), closer('tools', new UsageError('tools')), closer('queue', failure)];
  await expect(closeAll(closers)).rejects.toBe(failure);
  expect(ended).toEqual(['queue', 'tools', 'store']);
});
