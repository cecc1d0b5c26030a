/**
 * Run of everything that CI proves: the checks, then `npm test` with the long suites. Installs
 * missing agent CLIs meanwhile.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const CHECKS = ['check', 'build', 'check:package'];
/** Programs of the long suites only. Their download takes as long as the checks. */
const INSTALLS = ['test/agents', 'test/node-versions'];

const missing = INSTALLS.filter((prefix) => !existsSync(join(prefix, 'node_modules')));
const installs = missing.map((prefix) =>
  spawn('npm', ['ci', '--prefix', prefix], { stdio: ['ignore', 'ignore', 'inherit'] }),
);
const installed = Promise.all(installs.map((install) => once(install, 'exit')));

for (const check of CHECKS) if (!runScript(check)) stop(`\`npm run ${check}\` failed.`);
if ((await installed).some(([code]) => code !== 0)) stop(`\`npm ci\` failed in ${missing.join(' or ')}.`);
// One run of all suites: while a long one waits for a container, a quick one uses the processor.
process.exitCode = runScript('test', '--project', 'long') ? 0 : 1;

function runScript(name: string, ...args: readonly string[]): boolean {
  return spawnSync('npm', ['run', name, '--', ...args], { stdio: 'inherit' }).status === 0;
}

function stop(reason: string): never {
  for (const install of installs) install.kill();
  process.stderr.write(`${reason}\n`);
  process.exit(1);
}
