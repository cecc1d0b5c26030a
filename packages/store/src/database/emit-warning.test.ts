import { afterEach, expect, it, vi } from 'vitest';
import { emitWarning } from './emit-warning.ts';

afterEach(() => void vi.restoreAllMocks());

it.each([
  [new Error('gone'), 'gone'],
  ['a text', 'a text'],
])('a warning of the process has the message and the cause %s', (cause, shown) => {
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  emitWarning({ message: 'Could not listen', cause });
  expect(warned).toHaveBeenCalledWith(`Could not listen: ${shown}`, 'TruecastStoreWarning');
});
