/** Paths of options that lead through a link of the repository or of an agent. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createSandbox } from '../../../packages/truecast/src/run/create-sandbox.ts';
import { createWorktree } from '../../../packages/truecast/src/run/create-worktree.ts';
import { runBatch } from '../../../packages/truecast/src/run/batch/run-batch.ts';
import { run } from '../../../packages/truecast/src/run/run.ts';
import type { RunResult } from '../../../packages/truecast/src/run/options/run-options.ts';
import type { MountConfig } from '../../../packages/truecast/src/ports/sandbox-provider.ts';
import { bubblewrap } from '../../../packages/truecast/src/sandboxes/bubblewrap.ts';
import { noSandbox } from '../../../packages/truecast/src/sandboxes/no-sandbox.ts';
import { describeInBubblewrap } from '../../describe-in-bubblewrap.ts';
import { git, makeRepository, runOptions, temporaryFolder } from '../fixture.ts';

const SECRET = 'PRIVATE KEY';
const BWRAP = execFileSync('sh', ['-c', 'command -v bwrap'], { encoding: 'utf8' }).trim();
const savedPath = process.env['PATH'];
afterEach(() => void (process.env['PATH'] = savedPath));

/** A folder of the user outside of every checkout. */
function makeVictim(): string {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'id'), SECRET);
  return folder;
}

function commitFolder(cwd: string, path: string): void {
  mkdirSync(join(cwd, path), { recursive: true });
  writeFileSync(join(cwd, path, 'x'), 'x\n');
  git(cwd, 'add', '-A');
  git(cwd, 'commit', '-q', '-m', 'folder');
}

function replaceByLink(path: string, target: string): string {
  return `rm -rf ${path}; ln -s '${target}' ${path}; git add -A; git commit -q -m link; true`;
}

const MODES = ['head', 'merge-to-head'] as const;

describeInBubblewrap('the source of a mount', () => {
  const mounted = (mount: Partial<MountConfig> = {}) =>
    bubblewrap({ egress: 'none', mounts: [{ hostPath: './cache', sandboxPath: '/cache', ...mount }] });
  const work = (cwd: string, script: string, type: (typeof MODES)[number]): Promise<RunResult> =>
    run(runOptions(script, { cwd, sandbox: mounted(), branchStrategy: { type } }));

  it.each(MODES)('that an agent made a link is refused by the next run: %s', async (type) => {
    const [cwd, victim] = [makeRepository(), makeVictim()];
    commitFolder(cwd, 'cache');
    await work(cwd, replaceByLink('cache', victim), type);
    expect(realpathSync(join(cwd, 'cache'))).toBe(victim);
    const steal = 'cat /cache/id; echo PWN >> /cache/id; true';
    await expect(work(cwd, steal, type)).rejects.toMatchObject({
      code: 'unsafe-path',
      message: expect.stringContaining(join(cwd, 'cache')),
    });
    expect(readFileSync(join(victim, 'id'), 'utf8')).toBe(SECRET);
  });

  it('that a clone brings as a link is refused, also read-only and by a link on the way', async () => {
    const [cwd, victim] = [makeRepository(), makeVictim()];
    mkdirSync(join(victim, 'inner'));
    symlinkSync(victim, join(cwd, 'data'));
    git(cwd, 'add', '-A');
    git(cwd, 'commit', '-q', '-m', 'link');
    for (const hostPath of ['./data', join(cwd, 'data'), './data/inner']) {
      const sandbox = mounted({ hostPath, readonly: true });
      const running = run(runOptions('cat /cache/id', { cwd, sandbox }));
      await expect(running, hostPath).rejects.toMatchObject({ code: 'unsafe-path' });
    }
  });

  it('that an earlier command made a link is refused by the next command of a kept sandbox', async () => {
    const [victim, shared] = [makeVictim(), temporaryFolder()];
    mkdirSync(join(shared, 'inner'));
    await using sandbox = await createSandbox({
      cwd: makeRepository(),
      branch: 'b',
      sandbox: bubblewrap({
        egress: 'none',
        mounts: [
          { hostPath: shared, sandboxPath: '/shared' },
          { hostPath: join(shared, 'inner'), sandboxPath: '/inner', readonly: true },
        ],
      }),
    });
    await sandbox.exec(`cd /shared && rm -rf inner && ln -s '${victim}' inner`);
    await expect(sandbox.exec('cat /inner/id')).rejects.toMatchObject({ code: 'unsafe-path' });
  });

  it.each([
    ['a link', (victim: string) => `ln -s '${victim}' "$0"`],
    ['a folder behind a link', (victim: string) => `rm -rf "\${0%/*}"; ln -s '${victim}' "\${0%/*}"`],
  ])('that is swapped for %s after its check does not show the target', async (_, swap) => {
    const [cwd, victim] = [makeRepository(), makeVictim()];
    commitFolder(cwd, 'cache/deep');
    mkdirSync(join(victim, 'deep'));
    writeFileSync(join(victim, 'deep', 'id'), SECRET);
    const place = join(cwd, 'cache/deep');
    const bin = temporaryFolder();
    const script = `mv "$0" '${join(bin, 'moved')}'; ${swap(join(victim, 'deep'))}`;
    // Runs between the check and the mount.
    const bwrap = `#!/bin/sh\n[ "$1" = --help ] || [ -e '${bin}/moved' ] || sh -c '${script.replaceAll("'", `'\\''`)}' '${place}'\nexec ${BWRAP} "$@"\n`;
    writeFileSync(join(bin, 'bwrap'), bwrap, { mode: 0o755 });
    process.env['PATH'] = `${bin}:${savedPath}`;
    const sandbox = mounted({ hostPath: './cache/deep' });
    const { stdout } = await run(runOptions('cat /cache/id; ls /cache', { cwd, sandbox }));
    expect(existsSync(join(bin, 'moved'))).toBe(true);
    expect(stdout).toBe('x\n');
  });

  it('of `.truecast` in the worktree is open before bubblewrap starts, and closed inside', async () => {
    const [cwd, bin] = [makeRepository(), temporaryFolder()];
    commitFolder(cwd, '.truecast');
    const list = 'ls -l /proc/self/fd';
    const bwrap = `#!/bin/sh\n${list} >> '${bin}/open'\nexec ${BWRAP} "$@"\n`;
    writeFileSync(join(bin, 'bwrap'), bwrap, { mode: 0o755 });
    process.env['PATH'] = `${bin}:${savedPath}`;
    const sandbox = bubblewrap({ egress: 'none' });
    const branchStrategy = { type: 'branch', branch: 'b' } as const;
    const { stdout } = await run(runOptions(list, { cwd, sandbox, branchStrategy }));
    const source = /\d+ -> \S+\/worktrees\/[^/\s]+\/\.truecast$/mu;
    expect(readFileSync(join(bin, 'open'), 'utf8')).toMatch(source);
    expect(stdout).not.toMatch(source);
  });

  it('below another writable mount is refused where a guest made it a link', async () => {
    const [victim, shared] = [makeVictim(), temporaryFolder()];
    mkdirSync(join(shared, 'inner'));
    const sandbox = bubblewrap({
      egress: 'none',
      mounts: [
        { hostPath: shared, sandboxPath: '/shared' },
        { hostPath: join(shared, 'inner'), sandboxPath: '/inner', readonly: true },
      ],
    });
    const cwd = makeRepository();
    await run(runOptions(`cd /shared; rm -rf inner; ln -s '${victim}' inner`, { cwd, sandbox }));
    const again = run(runOptions('cat /inner/id', { cwd, sandbox }));
    await expect(again).rejects.toMatchObject({ code: 'unsafe-path' });
  });

  it('is followed where the link stays below the checkout, or is outside of it', async () => {
    const cwd = makeRepository();
    commitFolder(cwd, 'real');
    symlinkSync('real', join(cwd, 'cache'));
    const outside = join(temporaryFolder(), 'mine');
    symlinkSync(makeVictim(), outside);
    const sandbox = bubblewrap({
      egress: 'none',
      mounts: [
        { hostPath: './cache', sandboxPath: '/cache' },
        { hostPath: outside, sandboxPath: '/mine', readonly: true },
      ],
    });
    const { stdout } = await run(runOptions('cat /cache/x /mine/id', { cwd, sandbox }));
    expect(stdout).toBe(`x\n${SECRET}`);
  });
});

describe('`cwd`', () => {
  const refused = { code: 'unsafe-path', message: expect.stringContaining('packages/a') };

  /** A repository whose folder `packages/a` an agent made a link to another repository. */
  async function makeLinked(): Promise<{ readonly cwd: string; readonly other: string }> {
    const [top, other] = [makeRepository(), makeRepository('other')];
    commitFolder(top, 'packages/a');
    const script = replaceByLink('packages/a', other);
    await run(runOptions(script, { cwd: top, branchStrategy: { type: 'merge-to-head' } }));
    return { cwd: join(top, 'packages/a'), other };
  }

  it('in a folder that an agent made a link is refused by every kind of run, and nothing is committed', async () => {
    const { cwd, other } = await makeLinked();
    const before = git(other, 'rev-parse', 'HEAD');
    const script = 'echo evil > a.txt; git commit -q -a -m evil';
    for (const type of MODES) {
      await expect(run(runOptions(script, { cwd, branchStrategy: { type } }))).rejects.toMatchObject(refused);
    }
    const place = { cwd, branch: 'b', sandbox: noSandbox() };
    await expect(createSandbox(place)).rejects.toMatchObject(refused);
    await expect(
      createWorktree({ cwd, branchStrategy: { type: 'branch', branch: 'b' } }),
    ).rejects.toMatchObject(refused);
    const { branchStrategy: _strategy, ...shared } = runOptions(script, { cwd });
    await expect(runBatch({ ...shared, inputs: [{ id: 'a' }] })).rejects.toMatchObject(refused);
    expect(git(other, 'rev-parse', 'HEAD')).toBe(before);
    expect(git(other, 'branch', '--list')).toBe('* main');
    expect(existsSync(join(other, '.truecast'))).toBe(false);
  });

  it('through a link of the user outside of checkouts is the repository it leads to', async () => {
    const [top, link] = [makeRepository(), join(temporaryFolder(), 'link')];
    symlinkSync(top, link);
    await run(runOptions('echo x > new.txt', { cwd: link }));
    expect(existsSync(join(top, 'new.txt'))).toBe(true);
  });
});
