import { globSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { slowSuites, waitingSuites } from '../list-slow-suites.ts';
import { SLOW_SUITES } from '../long-suites.ts';
import { LARGE_FILES, SLOW_FILES, spread } from '../runner/slow-first.ts';
import waiting from '../waiting-suites.json' with { type: 'json' };

const ROOT = join(import.meta.dirname, '../..');

const files = globSync(['test/**/*.test.ts', 'packages/*/src/**/*.test.ts'], {
  cwd: ROOT,
  exclude: ['**/node_modules/**'],
});

it('each large and each slow file is one test file', () => {
  const others = [...LARGE_FILES, ...SLOW_FILES].filter(
    (slow) => files.filter((file) => file.endsWith(slow)).length !== 1,
  );
  expect(others).toEqual([]);
});

it.each([
  ['is slow', SLOW_SUITES],
  ['mostly waits', waiting],
])('each suite that %s by measurement is a test file', (_what, names) => {
  expect(names.length).toBeGreaterThan(0);
  expect(names.filter((name) => !files.includes(name))).toEqual([]);
});

it('a suite mostly waits from four seconds of which it uses less than a sixth', () => {
  const times = (file: string, worker: number, wall: number): string =>
    JSON.stringify({ file, worker, children: 0.1, wall });
  const log = [
    times('test/b.test.ts', 0.5, 4),
    times('test/a.test.ts', 0.2, 3.9),
    times('test/c.test.ts', 0.6, 4),
    times('test/d.test.ts', 0.1, 5),
    times('test/console/e.test.ts', 0.1, 5),
  ];
  expect(waitingSuites(log.join('\n'))).toEqual(['test/d.test.ts', 'test/b.test.ts']);
});

it('spreads some evenly among the others, each in its order', () => {
  expect(spread(['x', 'y'], ['a', 'b', 'c', 'd', 'e', 'f']).join('')).toBe('axbcdyef');
  expect(spread([], ['a'])).toEqual(['a']);
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
