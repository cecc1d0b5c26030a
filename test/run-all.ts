/**
 * Run of everything that CI proves: `npm test` with the long suites, and the checks beside them.
 * Installs missing agent CLIs before the suites.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { freemem, setPriority } from 'node:os';
import { join } from 'node:path';

/**
 * Scripts of `package.json`, in order. Each runs, whether or not the one before has failed. The linter reports
 * the errors of types too: it has checked them for its rules.
 */
const CHECKS = ['check:lint', 'check:unused', 'check:language', 'check:format'];
/** Programs of the long suites only. Their download takes as long as the build and most checks. */
const INSTALLS = ['test/agents', 'test/agents/older', 'test/node-versions'];
/** Nice value of the checks: they use the processor while the suites wait for containers and CLIs. */
const BESIDE = 10;
/** Free memory in which a check needs no collection: the linter takes 5.6 GB then, beside the suites. */
const UNCOLLECTED_BYTES = 14e9;

const failed: string[] = [];
const missing = INSTALLS.filter((folder) => !existsSync(join(folder, 'node_modules')));
// In the folder: `--prefix` would hide npm's global configuration.
const installs = missing.map((folder) => start(`npm ci in ${folder}`, ['npm', 'ci'], { cwd: folder }));
const built = start('build', ['node', '--run', 'build']);
const checks = inOrder(CHECKS);

await Promise.all([built, ...installs]);
// Without the build or the CLIs, each long suite would fail for the same reason.
const suites = failed.length === 0 ? start('tests', ['npm', 'test', '--', '--project', 'long*']) : undefined;
await Promise.all([suites, checks, suites && inOrder(['check:package'])]);

// At the end, where the log is read first: the output of a check can be far above.
for (const name of failed) process.stderr.write(`failed: ${name}\n`);
process.exitCode = failed.length === 0 ? 0 : 1;

async function inOrder(scripts: readonly string[]): Promise<void> {
  for (const script of scripts) await start(script, ['node', '--run', script], { nice: BESIDE });
}

interface StartOptions {
  readonly cwd?: string;
  readonly nice?: number;
}

/** Runs a command until it ends, and records a failure by its name. */
async function start(
  name: string,
  [file = '', ...args]: readonly string[],
  options: StartOptions = {},
): Promise<void> {
  const { cwd = '.', nice = 0 } = options;
  // The compiler, the linter and Podman are written in Go: rarer collections save a third of the
  // compiler's processor time, and none another fifth. Several threads of a check would check many
  // types twice, and the suites use the other cores: one saves a fifth of the linter's time.
  const ofCheck = { GOMAXPROCS: '1', ...(freemem() > UNCOLLECTED_BYTES && { GOGC: 'off' }) };
  const env = { ...process.env, TRUECAST_BUILT: 'true', GOGC: '400', ...(nice !== 0 && ofCheck) };
  const child: ChildProcess = spawn(file, args, { cwd, env, stdio: 'inherit' });
  const ended = once(child, 'exit');
  // The processes that it starts later inherit the value.
  if (nice !== 0 && child.pid !== undefined) setPriority(child.pid, nice);
  const [code] = await ended;
  if (code !== 0) failed.push(name);
}
