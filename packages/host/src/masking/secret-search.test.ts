import { expect, it } from 'vitest';
import { createSecretSearch } from './secret-search.ts';

const start = createSecretSearch({
  inside: { DEPLOY: 'correct-horse-battery', MODE: 'fast' },
  host: { API_TOKEN: 'inherited-token-value', EDITOR: 'some-long-editor' },
});

function finds(...pieces: readonly string[]): boolean | undefined {
  const search = start?.();
  for (const piece of pieces) search?.push(piece);
  return search?.end();
}

it('finds declared values of eight characters and inherited ones with a secret name', () => {
  expect(finds('a correct-horse-battery b')).toBe(true);
  expect(finds('inherited-token-value')).toBe(true);
  expect(finds('fast', 'some-long-editor')).toBe(false);
});

it('finds a value that is split between pieces, or encoded', () => {
  expect(finds('correct-ho', 'rse-bat', 'tery')).toBe(true);
  expect(finds(Buffer.from('x correct-horse-battery').toString('base64'))).toBe(true);
  expect(finds('correct-horse')).toBe(true);
  expect(finds('correct')).toBe(false);
});

it('finds no text that only has the shape of a token', () => {
  expect(finds('ghp_abcdefghijklmnopqrstuvwxyz0123456789')).toBe(false);
});

it('is nothing without a secret', () => {
  expect(
    createSecretSearch({ inside: { MODE: 'fast' }, host: { EDITOR: 'some-long-editor' } }),
  ).toBeUndefined();
});
