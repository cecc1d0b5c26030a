import { afterAll, expect, it } from 'vitest';
import { cleanUp, newRepository, plainGit } from './test-repository.ts';

afterAll(cleanUp);

it('a copy of a template has an index with the times and inodes of its own files', () => {
  // A plumbing command compares them, and does not read the files.
  expect(plainGit(newRepository(), 'diff-files')).toBe('');
});
