import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { searchPathOutside } from './search-path.ts';
import { cleanUp, emptyRepository, temporaryFolder } from '../test-repository.ts';

afterEach(cleanUp);

test('leaves out relative folders and folders of the checkout, from any folder in it', () => {
  const root = emptyRepository();
  mkdirSync(join(root, 'deep/er'), { recursive: true });
  const searchPath = ['/usr/bin', '', 'bin', join(root, 'node_modules/.bin'), root, '/bin'].join(':');
  expect(searchPathOutside(searchPath, [join(root, 'deep/er')])).toBe('/usr/bin:/bin');
});

test('keeps every absolute folder outside of a repository', () => {
  const folder = temporaryFolder();
  expect(searchPathOutside(`/usr/bin:${join(folder, '..', 'bin')}`, [folder])).toBe(
    `/usr/bin:${join(folder, '..', 'bin')}`,
  );
});
