/**
 * Checks that each exported name tells its type, so that declarations need no inference. Only the wire
 * formats of the client may leave it out: their types come from shapes, which are data.
 */
import { isolatedDeclarationSync } from 'rolldown/experimental';
import { expect, it } from 'vitest';
import { readSource, sourceFiles } from './source-tree.ts';

const INFERRED = 'packages/client/src/wire/';

const errorsOf = (path: string, text: string): readonly string[] =>
  isolatedDeclarationSync(path, text).errors.map(({ message }) => `${path}: ${message}`);

it('the exports of all files but those of wire formats tell their types', () => {
  const files = sourceFiles().filter((path) => !path.startsWith(INFERRED));
  expect(files.length).toBeGreaterThan(500);
  expect(files.flatMap((path) => errorsOf(path, readSource(path)))).toEqual([]);
});

it('an export without its type is found', () => {
  expect(errorsOf('a.ts', 'export const made = make();')).toHaveLength(1);
  expect(errorsOf('a.ts', 'export const made: string = make();')).toEqual([]);
});
