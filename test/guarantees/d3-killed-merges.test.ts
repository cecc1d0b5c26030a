/**
 * Tests of D3: a program and its git are killed while a merge writes the user's checkout. A smudge
 * filter of the user kills both, after the first file and before the last.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { expect } from 'vitest';
import { bundledHost } from '../bundled-host.ts';
import { commitLine, git, makeRepository, temporaryFolder } from '../run/fixture.ts';
import { declareGuarantee } from './guarantee.ts';
import { AGENT_ROUTES } from './routes/agent-routes.ts';
import { runCommand } from './routes/command.ts';
import { continueKilledRun } from './routes/served-runs.ts';

const HOST = await bundledHost(new URL('merging-host.ts', import.meta.url));
const MAIN = fileURLToPath(new URL('../../packages/cli/src/start.ts', import.meta.url));
/** `a.txt` is written before the file with the filter, `z.txt` after it. */
const SCRIPT =
  'echo new > a.txt && echo new > m.kill && echo new > z.txt && git add -A && git commit -qm change';

/** A repository whose checkout of `m.kill` kills the process in `pid` once, and git itself. */
function makeDeadlyRepository(pidFile: string): string {
  const repository = makeRepository();
  writeFileSync(join(repository, 'z.txt'), 'one\n');
  writeFileSync(join(repository, '.gitattributes'), '*.kill filter=kill\n');
  git(repository, 'add', '-A');
  git(repository, 'commit', '-q', '-m', 'attributes');
  const program = join(temporaryFolder(), 'smudge.sh');
  // Git starts a filter by a shell: git is the parent of the script's parent.
  const git9 = 'kill -9 "$(cut -d " " -f 4 "/proc/$PPID/stat")"';
  const isHalfWritten = `grep -q new '${repository}/a.txt' && [ -s '${pidFile}' ]`;
  writeFileSync(
    program,
    `if ${isHalfWritten}; then kill -9 "$(cat '${pidFile}')"; rm '${pidFile}'; ${git9}; fi\ncat\n`,
  );
  git(repository, 'config', 'filter.kill.smudge', `sh ${program}`);
  git(repository, 'config', 'filter.kill.clean', 'cat');
  return repository;
}

/** Starts the next program, and returns what it reports. */
type Next = (repository: string) => Promise<string>;

const nextRun: Next = async (repository) => {
  const next = await AGENT_ROUTES['run/none']({
    repository,
    script: commitLine('later'),
    strategy: 'merge-to-head',
  });
  expect(next.isAccepted, next.message).toBe(true);
  return next.warnings.join('\n');
};

const clean: Next = async (repository) => {
  const { exitCode, output } = await runCommand({ cwd: repository, args: ['clean', '--yes'] });
  expect(exitCode, output).toBe(0);
  return output;
};

async function finishOrUndo(
  start: (repository: string, pidFile: string) => Promise<unknown>,
  next: Next = nextRun,
): Promise<void> {
  const pidFile = join(temporaryFolder(), 'pid');
  const repository = makeDeadlyRepository(pidFile);
  await start(repository, pidFile);
  expect(git(repository, 'status', '--porcelain'), 'the kill came in the middle of the merge').not.toBe('');
  expect(await next(repository)).toMatch(/merge/u);
  expect(git(repository, 'status', '--porcelain', '--untracked-files=no')).toBe('');
  const files = ['a.txt', 'z.txt'].map((file) => readFileSync(join(repository, file), 'utf8'));
  expect(new Set(files).size, 'all of the merge, or nothing of it').toBe(1);
}

const inHost =
  (route: string) =>
  (repository: string, pidFile: string): Promise<unknown> =>
    execa(process.execPath, [HOST, route, repository, pidFile, SCRIPT], { reject: false });

const inCommand = async (repository: string, pidFile: string): Promise<unknown> => {
  const args = ['run', 'Work.', '--agent', `command:${SCRIPT}`, '--sandbox', 'none', '--merge'];
  const running = execa(process.execPath, [MAIN, ...args], { cwd: repository, reject: false });
  writeFileSync(pidFile, String(running.pid));
  return running;
};

declareGuarantee('D3', {
  runs: continueKilledRun,
  'run/none': () => finishOrUndo(inHost('run/none')),
  'run/bubblewrap': () => finishOrUndo(inHost('run/bubblewrap')),
  'run/podman': () => finishOrUndo(inHost('run/podman')),
  kept: () => finishOrUndo(inHost('kept')),
  batch: () => finishOrUndo(inHost('batch')),
  merge: () => finishOrUndo(inHost('merge')),
  command: () => finishOrUndo(inCommand, clean),
});
