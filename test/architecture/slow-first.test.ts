import { globSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { slowSuites } from '../list-slow-suites.ts';
import { SLOW_SUITES } from '../long-suites.ts';
import { SLOW_FILES } from '../runner/slow-first.ts';

const ROOT = join(import.meta.dirname, '../..');

const files = globSync(['test/**/*.test.ts', 'packages/*/src/**/*.test.ts'], {
  cwd: ROOT,
  exclude: ['**/node_modules/**'],
});

it('each slow file is one test file', () => {
  const others = SLOW_FILES.filter((slow) => files.filter((file) => file.endsWith(slow)).length !== 1);
  expect(others).toEqual([]);
});

it('each suite that is slow by measurement is a test file', () => {
  expect(SLOW_SUITES.length).toBeGreaterThan(0);
  expect(SLOW_SUITES.filter((name) => !files.includes(name))).toEqual([]);
});

it('a suite is slow from a second and a half of its worker and its programs, unless it is long for what it needs', () => {
  const times = (file: string, worker: number, children: number): string =>
    JSON.stringify({ file, worker, children });
  const log = [
    times('test/run/b.test.ts', 0.5, 1),
    times('test/run/a.test.ts', 2.04, 3),
    times('test/run/fast.test.ts', 0.4, 1),
    times('test/agents/claude-code.test.ts', 9, 9),
  ].join('\n');
  expect(slowSuites(`${log}\n`)).toEqual(['test/run/a.test.ts', 'test/run/b.test.ts']);
});
