/**
 * Operations of a run on a full disk. Prints the code of the error of each. Its arguments are the folder of the disk,
 * and the address of a repository.
 */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { command } from '../../packages/truecast/src/agents/command.ts';
import { readMergedTree } from '../../packages/truecast/src/git/checkout/merged-tree.ts';
import { gitOutput } from '../../packages/truecast/src/git/command/git.ts';
import { openClone, updateClone } from '../../packages/truecast/src/git/remote/remote-clone.ts';
import { run } from '../../packages/truecast/src/run/run.ts';
import { noSandbox } from '../../packages/truecast/src/sandboxes/no-sandbox.ts';
import { makeDiskRepository } from './make-disk-repository.ts';

const TIMEOUT_MS = 60_000;
const [disk = '', url = ''] = process.argv.slice(2);
const cwd = join(disk, 'repository');
const filling = join(disk, 'filling');
const call = { cwd, timeoutMs: TIMEOUT_MS };
const git = (...args: readonly string[]): string => execFileSync('git', args, { cwd, encoding: 'utf8' });

/** Runs `work` while the disk has only some bytes. Returns the code of its error. */
async function onFull(leftBytes: number, work: () => Promise<unknown>): Promise<unknown> {
  const { bavail, bsize } = statfsSync(disk);
  writeFileSync(filling, Buffer.alloc(bavail * bsize - leftBytes));
  try {
    await work();
    return 'none';
  } catch (error) {
    return error instanceof Error && 'code' in error ? error.code : String(error);
  } finally {
    rmSync(filling);
  }
}

mkdirSync(cwd);
makeDiskRepository(cwd);
writeFileSync(join(cwd, 'large.bin'), randomBytes(400_000));
git('checkout', '-q', '-b', 'other');
git('commit', '-q', '--allow-empty', '-m', 'other');
writeFileSync(join(cwd, 'b.txt'), 'other\n');
git('add', 'b.txt');
git('commit', '-q', '-m', 'b');
git('checkout', '-q', 'main');
writeFileSync(join(cwd, 'c.txt'), 'main\n');
git('add', 'c.txt');
git('commit', '-q', '-m', 'c');
const clone = await openClone(join(disk, 'clone'), { url });
const large = randomBytes(200_000).toString('hex');

const codes = {
  object: await onFull(0, () => gitOutput(['hash-object', '-w', '--stdin'], { ...call, input: large })),
  reference: await onFull(0, () => gitOutput(['update-ref', 'refs/heads/new', 'HEAD'], call)),
  configuration: await onFull(0, () => gitOutput(['config', 'a.b', 'c'], call)),
  checkout: await onFull(0, () => gitOutput(['checkout', '-q', 'other'], call)),
  mergeInMemory: await onFull(0, () => readMergedTree('main', 'other', call)),
  fetch: await onFull(20_000, () => updateClone(clone, { timeoutMs: TIMEOUT_MS, notBefore: Date.now() })),
  copy: await onFull(100_000, () =>
    run({
      cwd,
      agent: command({ command: ['true'] }),
      sandbox: noSandbox(),
      branchStrategy: { type: 'branch', branch: 'copied' },
      copyToWorktree: ['large.bin'],
      prompt: 'Work.',
    }),
  ),
};
process.stdout.write(JSON.stringify(codes));
