/** Run of all suites: `npm test`, then the long ones. Prints the sum of both on the last line. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folder = mkdtempSync(join(tmpdir(), 'truecast-counts-'));
const file = join(folder, 'counts');
const runs = [['test'], ['run', 'test:long']].map((args) =>
  spawnSync('npm', args, { stdio: 'inherit', env: { ...process.env, TRUECAST_TEST_COUNTS: file } }),
);
const counts = readFileSync(file, 'utf8')
  .trim()
  .split('\n')
  .map((line) => line.split(' ').map(Number));
rmSync(folder, { recursive: true });
const sumOf = (column: number): number => counts.reduce((sum, line) => sum + (line[column] ?? 0), 0);
const crashed = counts.length < runs.length ? 1 : 0;
const failed = sumOf(1) + crashed;
process.stdout.write(`${sumOf(0)} passed, ${failed} failed\n`);
process.exitCode = failed === 0 && runs.every(({ status }) => status === 0) ? 0 : 1;
