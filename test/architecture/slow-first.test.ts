import { globSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { SLOW_FILES } from '../slow-first.ts';

const ROOT = join(import.meta.dirname, '../..');

it('each slow file is one test file', () => {
  const files = globSync(['test/**/*.test.ts', 'packages/*/src/**/*.test.ts'], {
    cwd: ROOT,
    exclude: ['**/node_modules/**'],
  });
  const others = SLOW_FILES.filter((slow) => files.filter((file) => file.endsWith(slow)).length !== 1);
  expect(others).toEqual([]);
});
