/** Kills of the host process during a hand-over: no process stays, and nothing is half-written. */
import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openRepository } from '../../../packages/truecast/src/git/repository/repository.ts';
import { recoverGuests } from '../../../packages/truecast/src/run/places/recover-guests.ts';
import { bubblewrap } from '../../../packages/truecast/src/sandboxes/bubblewrap.ts';
import { bundledHost } from '../../bundled-host.ts';
import { describeInBubblewrap } from '../../describe-in-bubblewrap.ts';
import { matrixColumns } from '../../matrix.ts';
import { git, makeRepository, temporaryFolder } from '../fixture.ts';
import { storesOf } from './handed-over.ts';

/** Lists the processes that name a folder in their arguments, environment or directory. */
function processesOf(folder: string): readonly string[] {
  const read = (pid: string): string => {
    try {
      const files = ['cmdline', 'environ'].map((name) => readFileSync(`/proc/${pid}/${name}`, 'latin1'));
      return `${files.join('\0')}\0${readlinkSync(`/proc/${pid}/cwd`)}`;
    } catch {
      return '';
    }
  };
  return readdirSync('/proc').filter(
    (pid) => /^\d+$/u.test(pid) && pid !== String(process.pid) && read(pid).includes(folder),
  );
}

function locksIn(path: string): readonly string[] {
  const names = readdirSync(join(path, '.git'), { recursive: true, encoding: 'utf8' });
  return names.filter((name) => name.endsWith('.lock') || name.includes('tmp_obj'));
}

/** A pack of incompressible objects, more than pipes can hold. */
function writePack(count: number): string {
  const cwd = temporaryFolder();
  git(cwd, 'init', '-q');
  const names = Array.from({ length: count }, (_, index) => `f${index}`);
  for (const name of names) writeFileSync(join(cwd, name), randomBytes(2_000_000 / count));
  const ids = execFileSync('git', ['hash-object', '-w', '--stdin-paths'], { cwd, input: names.join('\n') });
  const options = { cwd, input: ids, maxBuffer: 2 ** 26 };
  writeFileSync(join(cwd, 'pack'), execFileSync('git', ['pack-objects', '--stdout', '-q'], options));
  return join(cwd, 'pack');
}

describeInBubblewrap('a host process that is killed in a hand-over', () => {
  it.each([
    ['`unpack-objects`', 20],
    ['`index-pack`', 120],
  ])(
    'while %s reads a pack leaves no process and changes nothing, and the next run removes the rest',
    async (_program, count) => {
      const path = makeRepository();
      const pack = writePack(count);
      const mark = join(temporaryFolder(), 'mark');
      const before = [git(path, 'for-each-ref'), git(path, 'count-objects')];
      const program = await bundledHost(new URL('killed-hand-over-host.ts', import.meta.url));
      const child = spawn(process.execPath, [program, path, pack, mark], {
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      await expect.poll(() => existsSync(mark), { timeout: 20_000 }).toBe(true);
      expect(processesOf(join(path, '.git', 'truecast')).length).toBeGreaterThan(1);
      child.kill('SIGKILL');
      await once(child, 'exit');
      await expect.poll(() => processesOf(path), { timeout: 20_000 }).toEqual([]);
      expect([git(path, 'for-each-ref'), git(path, 'count-objects')]).toEqual(before);
      expect(locksIn(path).filter((name) => !name.startsWith('truecast'))).toEqual([]);
      expect(storesOf(path)).toHaveLength(1);
      const warnings = await recover(path);
      expect(warnings).toEqual([]);
      expect(storesOf(path)).toEqual([]);
      expect(git(path, 'fsck', '--full', '--strict')).toBe('');
    },
  );

  // `guest-git` kills after the other steps in the short form.
  it.each(matrixColumns(1, ['received', 'admitted', 'moved', 'indexed', 'recorded'], { rows: 2 }))(
    'after the step `%s` leaves no process and no lock',
    async (point) => {
      const path = makeRepository();
      const gitDir = join(path, '.git');
      const program = await bundledHost(new URL('../guest-git-host.ts', import.meta.url));
      const work = 'echo w > work; git add work; git commit -q -m work; echo s > staged; git add staged';
      const child = spawn(process.execPath, [program, path, path, gitDir, point, work], {
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
      await expect.poll(() => processesOf(path), { timeout: 20_000 }).toEqual([]);
      expect(locksIn(path)).toEqual([]);
      expect(await recover(path)).toEqual([]);
      expect(git(path, 'log', '-1', '--format=%s')).toBe('work');
      expect(git(path, 'status', '--porcelain')).toBe('A  staged');
      expect(git(path, 'fsck', '--full', '--strict', '--no-dangling')).toBe('');
      expect(storesOf(path)).toEqual([]);
    },
  );
});

async function recover(path: string): Promise<readonly string[]> {
  const warnings: string[] = [];
  await recoverGuests({
    repository: await openRepository(path, { timeoutMs: 30_000 }),
    sandbox: bubblewrap(),
    signal: new AbortController().signal,
    warn: (message) => warnings.push(message),
  });
  return warnings;
}
