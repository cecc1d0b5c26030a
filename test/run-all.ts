/**
 * Run of everything that CI proves: the checks, then `npm test` with the long suites. Installs
 * missing agent CLIs meanwhile.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Scripts of `package.json` that need each other's results, in order. The lists run beside each other. */
const CHECKS = [
  ['build', 'check:package'],
  ['check:types', 'check:unused', 'check:language', 'check:format', 'check:lint'],
];
/** Programs of the long suites only. Their download takes as long as the checks. */
const INSTALLS = ['test/agents', 'test/node-versions'];

const running = new Set<ChildProcess>();
const missing = INSTALLS.filter((folder) => !existsSync(join(folder, 'node_modules')));
// In the folder: `--prefix` would hide npm's global configuration.
const installs = missing.map((folder) => start(['ci'], folder));
const checks = CHECKS.map(async (names) => {
  for (const name of names)
    if (!(await start(['run', name]))) throw new TypeError(`\`npm run ${name}\` failed.`);
});

try {
  await Promise.all(checks);
  if ((await Promise.all(installs)).includes(false))
    throw new TypeError(`\`npm ci\` failed in ${missing.join(' or ')}.`);
  // One run of all suites: while a long one waits for a container, a quick one uses the processor.
  process.exitCode = (await start(['test', '--', '--project', 'long'])) ? 0 : 1;
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  for (const child of running) child.kill();
  process.exit(1);
}

/** Runs npm until it ends. Returns true for success. */
async function start(args: readonly string[], cwd = '.'): Promise<boolean> {
  // The compiler, the linter and Podman are written in Go: rarer collections save a third of the
  // compiler's processor time.
  const env = { ...process.env, TRUECAST_BUILT: 'true', GOGC: '400' };
  const child = spawn('npm', args, { cwd, env, stdio: 'inherit' });
  running.add(child);
  const [code] = await once(child, 'exit');
  running.delete(child);
  return code === 0;
}
