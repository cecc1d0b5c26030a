/**
 * Run of everything that CI proves: the checks, `npm test`, then the long suites. Installs the agent
 * CLIs meanwhile. Prints the sum of the tests on the last line.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const CHECKS = ['check', 'build', 'check:package'];
const SUITES = ['test', 'test:long'];
/** Programs of the long suites only. Their download takes as long as the checks. */
const INSTALLS = ['test/agents', 'test/node-versions'];

const folder = mkdtempSync(join(tmpdir(), 'truecast-counts-'));
const file = join(folder, 'counts');
const installs = INSTALLS.map((prefix) =>
  spawn('npm', ['ci', '--prefix', prefix], { stdio: ['ignore', 'ignore', 'inherit'] }),
);
const installed = Promise.all(installs.map((install) => once(install, 'exit')));

for (const check of CHECKS) if (!runScript(check)) stop(`\`npm run ${check}\` failed.`);
const isQuickGreen = runScript('test');
if ((await installed).some(([code]) => code !== 0)) stop(`\`npm ci\` failed in ${INSTALLS.join(' or ')}.`);
const isLongGreen = runScript('test:long');
const counts = readFileSync(file, 'utf8')
  .trim()
  .split('\n')
  .map((line) => line.split(' ').map(Number));
rmSync(folder, { recursive: true });
const sumOf = (column: number): number => counts.reduce((sum, line) => sum + (line[column] ?? 0), 0);
// A run can fail without a failed test, for example by a suite without tests.
const isGreen = isQuickGreen && isLongGreen && counts.length === SUITES.length;
const failed = sumOf(1) === 0 && !isGreen ? 1 : sumOf(1);
process.stdout.write(`${sumOf(0)} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;

function runScript(name: string): boolean {
  const env = { ...process.env, TRUECAST_TEST_COUNTS: file };
  return spawnSync('npm', ['run', name], { stdio: 'inherit', env }).status === 0;
}

function stop(reason: string): never {
  for (const install of installs) install.kill();
  process.stderr.write(`${reason}\n`);
  process.exit(1);
}
