/** Files with rights of the host that an agent leaves in a worktree or in the checkout. */
import { execFileSync } from 'node:child_process';
import { chmodSync, lstatSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createSandbox } from '../../../packages/truecast/src/run/create-sandbox.ts';
import { clearRights } from '../../../packages/truecast/src/run/review/clear-rights.ts';
import { run } from '../../../packages/truecast/src/run/run.ts';
import { bubblewrap } from '../../../packages/truecast/src/sandboxes/bubblewrap.ts';
import { describeInBubblewrap } from '../../describe-in-bubblewrap.ts';
import { describeUnless } from '../../needs.ts';
import { customBindMount } from '../custom-sandbox.ts';
import { makeRepository, runOptions, temporaryFolder } from '../fixture.ts';

const modeOf = (path: string): number => lstatSync(path).mode & 0o7777;
const PLACES = ['tool', 'deep/tool', '.truecast/tool', 'nested/.git/tool', 'na\u00efve'];
const LEAVE = PLACES.map(
  (path) => `mkdir -p "$(dirname '${path}')"; echo x > '${path}'; chmod 6755 '${path}'`,
).join('; ');
const IS_ROOT = process.getuid?.() === 0;

describe('setuid and setgid bits that an agent leaves', () => {
  it.each(['head', 'branch'] as const)('are removed, and each file is named: %s', async (type) => {
    const cwd = makeRepository();
    const branchStrategy = type === 'head' ? { type } : { type, branch: 'b' };
    const result = await run(runOptions(LEAVE, { cwd, sandbox: customBindMount(), branchStrategy }));
    const folder = type === 'head' ? cwd : (result.preservedWorktreePath ?? '');
    for (const path of PLACES) {
      expect(modeOf(join(folder, path)), path).toBe(0o755);
      expect(result.warnings.join('\n')).toContain(
        `a setuid or setgid bit at \`${path}\`, which was removed`,
      );
    }
  });

  it('are removed when a kept sandbox is closed', async () => {
    const sandbox = await createSandbox({ cwd: makeRepository(), branch: 'b', sandbox: customBindMount() });
    await sandbox.exec('echo x > tool; chmod 4755 tool');
    await sandbox.close();
    expect(modeOf(join(sandbox.worktreePath, 'tool'))).toBe(0o755);
  });

  it('of a failed run are removed', async () => {
    const cwd = makeRepository();
    const script = 'echo x > tool; chmod 4755 tool; exit 3';
    await expect(run(runOptions(script, { cwd, sandbox: customBindMount() }))).rejects.toThrow();
    expect(modeOf(join(cwd, 'tool'))).toBe(0o755);
  });
});

describe('what the user had before', () => {
  it('is kept: a setuid file, and the setgid bit of a folder', async () => {
    const root = temporaryFolder();
    writeFileSync(join(root, 'mine'), 'x');
    mkdirSync(join(root, 'shared'));
    chmodSync(join(root, 'mine'), 0o4755);
    chmodSync(join(root, 'shared'), 0o2775);
    // Ten minutes later.
    expect((await clearRights(root, Date.now() + 600_000)).left).toEqual([]);
    // The time of the content does not matter: an agent can set it.
    utimesSync(join(root, 'mine'), 0, 0);
    const { left } = await clearRights(root, Date.now());
    expect(left).toEqual([{ path: 'mine', kind: 'set-id', isCleared: true }]);
    expect([modeOf(join(root, 'mine')), modeOf(join(root, 'shared'))]).toEqual([0o755, 0o2775]);
  });
});

it('names a pipe, and follows no link', async () => {
  const [root, outside] = [temporaryFolder(), temporaryFolder()];
  writeFileSync(join(outside, 'tool'), 'x');
  chmodSync(join(outside, 'tool'), 0o4755);
  execFileSync('sh', ['-c', `mkfifo pipe; ln -s '${outside}' folder; ln -s '${outside}/tool' link`], {
    cwd: root,
  });
  expect((await clearRights(root, Date.now())).left).toEqual([
    { path: 'pipe', kind: 'pipe', isCleared: false },
  ]);
  expect(modeOf(join(outside, 'tool'))).toBe(0o4755);
});

describeUnless(IS_ROOT ? undefined : 'only root can make a device', 'a device', () => {
  it('loses its permissions', async () => {
    const root = temporaryFolder();
    execFileSync('mknod', ['-m', '666', join(root, 'null'), 'c', '1', '3']);
    expect((await clearRights(root, Date.now())).left).toEqual([
      { path: 'null', kind: 'device', isCleared: true },
    ]);
    expect(modeOf(join(root, 'null'))).toBe(0);
  });
});

describeInBubblewrap('a guest in bubblewrap', () => {
  it('can set neither bits, capabilities nor devices', async () => {
    const script = `${LEAVE} 2>/dev/null; cp /bin/true cap; setcap cap_sys_admin+ep cap; getcap cap; mknod null c 1 3; ls -l null; true`;
    const { stdout, preservedWorktreePath = '' } = await run(
      runOptions(script, {
        sandbox: bubblewrap({ egress: 'none' }),
        branchStrategy: { type: 'branch', branch: 'b' },
      }),
    );
    expect(stdout).toBe('');
    for (const path of PLACES.slice(0, 2)) {
      expect(modeOf(join(preservedWorktreePath, path)) & 0o6000, path).toBe(0);
    }
  });
});
