/**
 * Checks of format, lint, types, unused code and comments. `npm run check -- --changed` reads only the
 * files that differ from `origin/main`, and the types of the projects in which they are.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';

const SOURCE = /\.[cm]?tsx?$/u;
const FORMATTED = /\.(?:[cm]?[jt]sx?|json|md|css|ya?ml)$/u;
const LINT = ['oxlint', '--type-aware', '--disable-nested-config', '--deny-warnings'];

/** Projects of the type check, with the folder of their files. The first one has all others. */
const PROJECTS = ['.', 'packages/truecast/templates', 'web', 'examples/react-chat'];

async function main(): Promise<void> {
  const commands = process.argv.includes('--changed') ? changedChecks() : wholeChecks();
  const failed: string[] = [];
  // At the same time: each waits for its own files, and none uses all cores.
  const checks = commands.map((command) => ({ shown: shownOf(command), ended: outcomeOf(command) }));
  for (const { shown, ended } of checks) {
    const { isPassed, output } = await ended;
    console.log(`> ${shown}`);
    process.stdout.write(output);
    if (!isPassed) failed.push(shown);
  }
  if (failed.length === 0) return;
  console.error(`${failed.length} checks failed: ${failed.join('; ')}`);
  process.exitCode = 1;
}

function shownOf(command: readonly string[]): string {
  return `${command.slice(0, 5).join(' ')}${command.length > 5 ? ' …' : ''}`;
}

async function outcomeOf([file = '', ...args]: readonly string[]): Promise<{
  readonly isPassed: boolean;
  readonly output: Buffer;
}> {
  const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const output: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => output.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => output.push(chunk));
  const [code] = (await once(child, 'close')) as [number | null];
  return { isPassed: code === 0, output: Buffer.concat(output) };
}

function wholeChecks(): readonly (readonly string[])[] {
  // The linter reports the errors of types too.
  return ['format', 'lint', 'unused', 'language'].map((name) => ['node', '--run', `check:${name}`]);
}

function changedChecks(): readonly (readonly string[])[] {
  const files = changedFiles();
  const formatted = files.filter((file) => FORMATTED.test(file));
  const sources = files.filter((file) => SOURCE.test(file));
  if (sources.length + formatted.length === 0) return [];
  const projects = PROJECTS.filter(
    (project) => project === '.' || files.some((file) => file.startsWith(`${project}/`)),
  );
  return [
    ['oxfmt', '--check', ...formatted],
    ...(sources.length === 0
      ? []
      : [
          [...LINT, ...sources],
          ...projects.map((project) => ['tsc', '-p', project]),
          ['knip'],
          ['node', '--run', 'check:language'],
        ]),
  ];
}

/** Files that exist and differ from the branch that a change goes to, also those that Git does not track yet. */
function changedFiles(): readonly string[] {
  const names = (...args: readonly string[]): readonly string[] =>
    execFileSync('git', args, { encoding: 'utf8' }).split('\0').filter(Boolean);
  const diff = names('diff', '-z', '--name-only', '--diff-filter=d', baseCommit());
  return [...new Set([...diff, ...names('ls-files', '-z', '--others', '--exclude-standard')])];
}

function baseCommit(): string {
  const { status, stdout } = spawnSync('git', ['merge-base', 'HEAD', 'origin/main'], { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : 'HEAD';
}

await main();
