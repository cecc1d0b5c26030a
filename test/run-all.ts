/**
 * Run of everything that CI proves: `npm test` with the long suites, and the checks beside them.
 * Installs missing agent CLIs before the suites.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { freemem } from 'node:os';
import { join } from 'node:path';

/** Scripts of `package.json`, in order. Each runs, whether or not the one before has failed. */
const CHECKS = ['check:unused', 'check:language', 'check:format'];
/** The longest, which has the errors of types too. It starts when the suites begin to wait at the same time. */
const LAST_CHECK = 'check:lint';
/** Programs of the long suites only. Their download takes as long as the build and most checks. */
const INSTALLS = ['test/agents', 'test/agents/older', 'test/node-versions'];
/** Start of a check at a lower priority. */
const BESIDE = ['nice', '-n', '10'];
/** Start of one that runs only while no other program has work: what wakes interrupts it. */
const IN_PAUSES = process.platform === 'linux' ? ['chrt', '--idle', '0'] : BESIDE;
/** Free memory in which a check needs no collection: the linter takes 5.6 GB then, beside the suites. */
const UNCOLLECTED_BYTES = 14e9;

const failed: string[] = [];
const missing = INSTALLS.filter((folder) => !existsSync(join(folder, 'node_modules')));
// In the folder: `--prefix` would hide npm's global configuration.
const installs = missing.map((folder) => start(`npm ci in ${folder}`, ['npm', 'ci'], { cwd: folder }));
const built = start('build', ['node', '--run', 'build']);
const checks = inOrder(CHECKS).then(() => check(LAST_CHECK, IN_PAUSES));

await Promise.all([built, ...installs]);
// Without the build or the CLIs, each long suite would fail for the same reason.
const suites = failed.length === 0 ? start('tests', ['npm', 'test', '--', '--project', 'long*']) : undefined;
await Promise.all([suites, checks, suites && inOrder(['check:package'])]);

// At the end, where the log is read first: the output of a check can be far above.
for (const name of failed) process.stderr.write(`failed: ${name}\n`);
process.exitCode = failed.length === 0 ? 0 : 1;

async function inOrder(scripts: readonly string[]): Promise<void> {
  for (const script of scripts) await check(script, BESIDE);
}

/** Runs a check. Its programs inherit the priority. */
function check(script: string, priority: readonly string[]): Promise<void> {
  // The linter is written in Go: rarer collections save a third of its processor time, and none another fifth.
  // Several threads would check many types twice, and the suites use the other cores: one saves a fifth.
  const env = { GOMAXPROCS: '1', ...(freemem() > UNCOLLECTED_BYTES && { GOGC: 'off' }) };
  return start(script, [...priority, 'node', '--run', script], { env });
}

interface StartOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs a command until it ends, and records a failure by its name. */
async function start(
  name: string,
  [file = '', ...args]: readonly string[],
  { cwd = '.', env = {} }: StartOptions = {},
): Promise<void> {
  // Podman, which suites start, is written in Go too.
  const whole = { ...process.env, TRUECAST_BUILT: 'true', GOGC: '400', ...env };
  const [code] = await once(spawn(file, args, { cwd, env: whole, stdio: 'inherit' }), 'exit');
  if (code !== 0) failed.push(name);
}
