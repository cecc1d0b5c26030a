import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { matrixColumns } from '../../../../../test/matrix.ts';
import { collectCommits } from './commits.ts';
import { removeWorktree } from './remove-worktree.ts';
import { readStatus } from './status.ts';
import {
  CALL,
  cleanUp,
  commit,
  newRepository,
  place,
  plainGit,
  temporaryFolder,
  writeIn,
} from '../test-repository.ts';
import { repositoryTemplate } from '../test-template.ts';
import { protectWorktree, verifyWorktree } from './verify.ts';
import { worktreePaths, type LockedWorktree } from './worktree.ts';

afterEach(cleanUp);

interface Attack {
  readonly name: string;
  readonly strategies?: readonly ('head' | 'merge-to-head')[];
  /** Setup by the user. */
  readonly prepare?: (repository: string) => void;
  /** Attack by the guest. `payload` is a program that leaves a marker. */
  readonly plant: (worktree: LockedWorktree, payload: string) => void;
}

const copyScratch = repositoryTemplate((path) => {
  plainGit(path, 'init', '--quiet');
  commit(path, 'x.txt', 'x');
});

function plantRepository(gitDir: string, payload: string): void {
  mkdirSync(dirname(gitDir), { recursive: true });
  const scratch = temporaryFolder();
  copyScratch(scratch);
  plainGit(scratch, 'config', 'core.fsmonitor', payload);
  cpSync(join(scratch, '.git'), gitDir, { recursive: true });
}

function addGitlink(worktree: LockedWorktree, path: string): void {
  const sha = worktree.baseSha;
  plainGit(worktree.path, 'update-index', '--add', '--cacheinfo', `160000,${sha},${path}`);
}

const ATTACKS: readonly Attack[] = [
  {
    name: 'core.fsmonitor in a `.git` folder that replaces the worktree’s file',
    strategies: ['merge-to-head'],
    plant: ({ path }, payload) => {
      rmSync(join(path, '.git'));
      plantRepository(join(path, '.git'), payload);
    },
  },
  {
    name: 'core.fsmonitor in a git directory that the worktree’s `.git` file is led to',
    strategies: ['merge-to-head'],
    plant: ({ path }, payload) => {
      plantRepository(join(path, 'innocent'), payload);
      writeFileSync(join(path, '.git'), `gitdir: ${join(path, 'innocent')}\n`);
    },
  },
  {
    name: 'a `.git` file replaced by a link to a git directory of the guest',
    strategies: ['merge-to-head'],
    plant: ({ path }, payload) => {
      plantRepository(join(path, 'innocent'), payload);
      rmSync(join(path, '.git'));
      symlinkSync('innocent', join(path, '.git'));
    },
  },
  {
    name: 'a `commondir` that leads to a repository of the guest',
    strategies: ['merge-to-head'],
    plant: ({ path, gitDir }, payload) => {
      plantRepository(join(path, 'innocent'), payload);
      writeFileSync(join(gitDir, 'commondir'), `${join(path, 'innocent')}\n`);
    },
  },
  {
    name: 'a `commondir` planted in the main git directory',
    strategies: ['head'],
    plant: ({ path, commonDir }, payload) => {
      plantRepository(join(path, 'innocent'), payload);
      writeFileSync(join(commonDir, 'commondir'), `${join(path, 'innocent')}\n`);
    },
  },
  {
    name: 'core.fsmonitor in the repository’s configuration',
    plant: ({ commonDir }, payload) => plainGit(commonDir, 'config', 'core.fsmonitor', payload),
  },
  {
    name: 'an include in the repository’s configuration',
    plant: ({ path, commonDir }, payload) => {
      writeIn(path, 'more.ini', `[core]\n\tfsmonitor = ${payload}\n`);
      plainGit(commonDir, 'config', 'include.path', join(path, 'more.ini'));
    },
  },
  {
    name: 'a configuration file replaced by a link',
    plant: ({ path, commonDir }, payload) => {
      cpSync(join(commonDir, 'config'), join(path, 'config.ini'));
      plainGit(path, 'config', '--file', join(path, 'config.ini'), 'core.fsmonitor', payload);
      rmSync(join(commonDir, 'config'));
      symlinkSync(join(path, 'config.ini'), join(commonDir, 'config'));
    },
  },
  {
    name: 'core.hooksPath in the repository’s configuration',
    plant: ({ path, commonDir }, payload) => {
      writeIn(path, 'my-hooks/post-index-change', `#!/bin/sh\n'${payload}'\n`, 0o755);
      plainGit(commonDir, 'config', 'core.hooksPath', join(path, 'my-hooks'));
    },
  },
  {
    name: 'a hook that was not there',
    plant: ({ commonDir }, payload) =>
      writeIn(commonDir, 'hooks/post-index-change', `#!/bin/sh\n'${payload}'\n`, 0o755),
  },
  {
    name: 'a hook that was there, changed',
    prepare: (path) => writeIn(path, '.git/hooks/post-index-change', '#!/bin/sh\ntrue\n', 0o755),
    plant: ({ commonDir }, payload) =>
      writeIn(commonDir, 'hooks/post-index-change', `#!/bin/sh\n'${payload}'\n`, 0o755),
  },
  {
    name: 'a hooks folder replaced by a link',
    plant: ({ path, commonDir }, payload) => {
      writeIn(path, 'my-hooks/post-index-change', `#!/bin/sh\n'${payload}'\n`, 0o755);
      renameSync(join(commonDir, 'hooks'), join(commonDir, 'hooks-before'));
      symlinkSync(join(path, 'my-hooks'), join(commonDir, 'hooks'));
    },
  },
  {
    name: 'a hook in the worktree, where the user’s hooks lie',
    prepare: (path) => plainGit(path, 'config', 'core.hooksPath', '.husky'),
    plant: ({ path }, payload) =>
      writeIn(path, '.husky/post-index-change', `#!/bin/sh\n'${payload}'\n`, 0o755),
  },
  {
    name: 'a filter driver in the configuration, chosen by .gitattributes',
    plant: ({ path, commonDir }, payload) => {
      plainGit(commonDir, 'config', 'filter.sly.clean', `'${payload}'; cat`);
      writeIn(path, '.gitattributes', '* filter=sly\n');
    },
  },
  {
    name: 'core.fsmonitor in config.worktree, switched on by the guest',
    plant: ({ commonDir, gitDir }, payload) => {
      plainGit(commonDir, 'config', 'extensions.worktreeConfig', 'true');
      writeFileSync(join(gitDir, 'config.worktree'), `[core]\n\tfsmonitor = ${payload}\n`);
    },
  },
  {
    name: 'core.fsmonitor in config.worktree, switched on by the user',
    prepare: (path) => plainGit(path, 'config', 'extensions.worktreeConfig', 'true'),
    plant: ({ gitDir }, payload) =>
      writeFileSync(join(gitDir, 'config.worktree'), `[core]\n\tfsmonitor = ${payload}\n`),
  },
  {
    name: 'core.fsmonitor in a submodule that the guest added',
    plant: (worktree, payload) => {
      plantRepository(join(worktree.path, 'sub', '.git'), payload);
      addGitlink(worktree, 'sub');
    },
  },
  {
    name: 'a hook in a submodule that the guest added',
    plant: (worktree, payload) => {
      plantRepository(join(worktree.path, 'sub', '.git'), 'true');
      plainGit(join(worktree.path, 'sub'), 'config', '--unset', 'core.fsmonitor');
      plainGit(join(worktree.path, 'sub'), 'reset', '--quiet', '--hard');
      writeIn(worktree.path, 'sub/.git/hooks/post-index-change', `#!/bin/sh\n'${payload}'\n`, 0o755);
      addGitlink(worktree, 'sub');
      // Git writes the index and runs the hook only if a file's time has changed.
      age(join(worktree.path, 'sub'), 'x.txt');
    },
  },
  {
    name: 'a submodule whose `.git` file leads to a git directory of the guest',
    plant: (worktree, payload) => {
      plantRepository(join(worktree.path, 'innocent'), payload);
      writeIn(worktree.path, 'sub/.git', 'gitdir: ../innocent\n');
      addGitlink(worktree, 'sub');
    },
  },
  {
    name: 'core.fsmonitor in a submodule of a harmless submodule',
    plant: (worktree, payload) => {
      const sub = join(worktree.path, 'sub');
      plantRepository(join(sub, '.git'), 'true');
      plainGit(sub, 'config', '--unset', 'core.fsmonitor');
      plainGit(sub, 'reset', '--quiet', '--hard');
      plantRepository(join(sub, 'inner', '.git'), payload);
      plainGit(sub, 'update-index', '--add', '--cacheinfo', `160000,${worktree.baseSha},inner`);
      addGitlink(worktree, 'sub');
    },
  },
];

/** The short form tries each attack in one place, and both places in turn. */
const CASES = ATTACKS.flatMap((attack, index) => {
  const types = attack.strategies ?? (['head', 'merge-to-head'] as const);
  return matrixColumns(index, types, { rows: types.length }).map((type) => ({ ...attack, type }));
});

interface Scene {
  readonly worktree: LockedWorktree;
  readonly marker: string;
  readonly payload: string;
}

async function setScene({ prepare, type }: (typeof CASES)[number]): Promise<Scene> {
  const path = newRepository();
  prepare?.(path);
  const folder = temporaryFolder();
  const [marker, payload] = [join(folder, 'ran'), join(folder, 'payload.sh')];
  writeFileSync(payload, `#!/bin/sh\ntouch '${marker}'\n`, { mode: 0o755 });
  return { worktree: await place(path, { branchStrategy: { type } }), marker, payload };
}

/** Command of a user who inspects the agent's work. */
function statusByUser(path: string): string {
  try {
    return execFileSync('git', ['status', '--porcelain'], { cwd: path, encoding: 'utf8', stdio: 'pipe' });
  } catch {
    // A manipulated repository can fail. The test checks only whether the payload ran.
    return 'failed';
  }
}

/** Makes git write the index, which triggers the index hook. */
function age(path: string, file = 'a.txt'): void {
  const old = new Date('2001-01-01');
  utimesSync(join(path, file), old, old);
}

// About git, not about Truecast: the short form tries a third.
test.each(matrixColumns(0, CASES, { rows: 3 }))(
  'is real without verification: $name ($type)',
  async (attack) => {
    const { worktree, marker, payload } = await setScene(attack);
    attack.plant(worktree, payload);
    rmSync(marker, { force: true });
    age(worktree.path);
    statusByUser(worktree.path);
    expect(existsSync(marker)).toBe(true);
  },
);

test.each(CASES)('does not run: $name ($type)', async (attack) => {
  const { worktree, marker, payload } = await setScene(attack);
  const snapshot = await protectWorktree(worktree, CALL);
  attack.plant(worktree, payload);
  rmSync(marker, { force: true });
  age(worktree.path);
  const findings = await verifyWorktree(snapshot, CALL);
  await collectCommits(worktree, CALL);
  await readStatus(
    {
      paths: worktreePaths(worktree),
      trustedCommit: worktree.baseSha,
      trustedConfig: worktree.repository.trustedConfig,
    },
    CALL,
  );
  await removeWorktree({ ...worktree, isReused: true }, CALL);
  expect(existsSync(marker)).toBe(false);
  expect(findings.length).toBeGreaterThan(0);
  age(worktree.path);
  expect(statusByUser(worktree.path)).not.toBe('failed');
  expect(existsSync(marker)).toBe(false);
  // Everything that was renamed can still be inspected.
  for (const { movedTo } of findings) expect(movedTo === undefined || existsSync(movedTo)).toBe(true);
  expect(await verifyWorktree(snapshot, CALL)).toEqual([]);
});

test('leaves links that the user made in the git directory', async () => {
  const path = newRepository();
  writeIn(path, 'githooks/pre-commit', '#!/bin/sh\ntrue\n', 0o755);
  rmSync(join(path, '.git', 'hooks'), { recursive: true });
  symlinkSync('../githooks', join(path, '.git', 'hooks'));
  for (const type of ['head', 'merge-to-head'] as const) {
    const snapshot = await protectWorktree(await place(path, { branchStrategy: { type } }), CALL);
    expect(await verifyWorktree(snapshot, CALL)).toEqual([]);
  }
});

test('finds nothing where an agent only worked', async () => {
  const path = newRepository();
  plainGit(path, 'config', 'extensions.worktreeConfig', 'true');
  writeIn(path, '.git/hooks/pre-commit', '#!/bin/sh\ntrue\n', 0o755);
  const worktree = await place(path);
  const snapshot = await protectWorktree(worktree, CALL);
  commit(worktree.path, 'b.txt', 'b');
  plainGit(worktree.path, 'checkout', '--quiet', '-b', 'more');
  commit(worktree.path, 'c.txt', 'c');
  plainGit(worktree.path, 'stash', 'list');
  plainGit(worktree.path, 'gc', '--quiet');
  expect(await verifyWorktree(snapshot, CALL)).toEqual([]);
});

test('keeps configuration changes that run nothing, and reports them', async () => {
  const path = newRepository();
  const worktree = await place(path);
  const snapshot = await protectWorktree(worktree, CALL);
  plainGit(path, 'remote', 'add', 'upstream', 'https://127.0.0.1/x.git');
  plainGit(path, 'config', 'branch.main.remote', 'upstream');
  expect(await verifyWorktree(snapshot, CALL)).toEqual([expect.objectContaining({ action: 'kept' })]);
  expect(plainGit(path, 'remote')).toBe('upstream');
});

test.each([
  ['another address for the user’s remote', 'remote.origin.url', 'https://127.0.0.1/evil.git'],
  ['an address that is a command line', 'remote.new.url', 'ext::sh -c x'],
  ['a credential helper', 'credential.helper', '!x'],
  ['a program for ssh', 'core.sshCommand', 'x'],
  ['an alias', 'alias.st', '!x'],
  ['an upload program', 'remote.origin.uploadpack', 'x'],
  ['an update command of a submodule', 'submodule.x.update', '!x'],
  ['a diff driver', 'diff.x.textconv', 'x'],
])('takes back %s', async (_what, key, value) => {
  const path = newRepository();
  plainGit(path, 'remote', 'add', 'origin', 'https://127.0.0.1/good.git');
  const before = readFileSync(join(path, '.git', 'config'), 'utf8');
  const worktree = await place(path);
  const snapshot = await protectWorktree(worktree, CALL);
  plainGit(path, 'config', key, value);
  expect(await verifyWorktree(snapshot, CALL)).toEqual([expect.objectContaining({ action: 'restored' })]);
  expect(readFileSync(join(path, '.git', 'config'), 'utf8')).toBe(before);
});

test('leaves submodules that the user had, and harmless ones that the agent checked out', async () => {
  const inner = newRepository('inner');
  const path = newRepository('outer');
  plainGit(path, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner, 'sub');
  plainGit(path, 'commit', '--quiet', '-m', 'submodule');
  plainGit(join(path, 'sub'), 'config', 'core.hooksPath', '/the/users/own');
  const head = await place(path, { branchStrategy: { type: 'head' } });
  const headSnapshot = await protectWorktree(head, CALL);
  commit(join(path, 'sub'), 'y.txt', 'y');
  expect(await verifyWorktree(headSnapshot, CALL)).toEqual([]);
  const worktree = await place(path);
  const snapshot = await protectWorktree(worktree, CALL);
  plainGit(worktree.path, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'update', '--init');
  expect((await verifyWorktree(snapshot, CALL)).filter(({ action }) => action !== 'kept')).toEqual([]);
  expect(existsSync(join(worktree.path, 'sub', '.git'))).toBe(true);
});

test('does not follow a link out of the worktree to a repository of the user', async () => {
  const mine = temporaryFolder();
  plantRepository(join(mine, 'sub', '.git'), 'true');
  const worktree = await place(newRepository());
  const snapshot = await protectWorktree(worktree, CALL);
  addGitlink(worktree, 'dir/sub');
  symlinkSync(mine, join(worktree.path, 'dir'));
  expect(await verifyWorktree(snapshot, CALL)).toEqual([]);
  expect(existsSync(join(mine, 'sub', '.git'))).toBe(true);
});

test('does not write through a link that the guest put in place of a file', async () => {
  const path = newRepository();
  const precious = join(temporaryFolder(), 'precious');
  writeFileSync(precious, 'mine');
  const worktree = await place(path, { branchStrategy: { type: 'branch', branch: 'work' } });
  rmSync(join(worktree.gitDir, 'locked'));
  symlinkSync(precious, join(worktree.gitDir, 'locked'));
  rmSync(join(worktree.gitDir, 'logs', 'HEAD'));
  symlinkSync(precious, join(worktree.gitDir, 'logs', 'HEAD'));
  await worktree.lock.release();
  symlinkSync(precious, join(worktree.gitDir, 'locked'));
  await place(path, { branchStrategy: { type: 'branch', branch: 'work' } });
  expect(readFileSync(precious, 'utf8')).toBe('mine');
});

test('makes a worktree safe that a killed run left tampered with, before it is used again', async () => {
  const path = newRepository();
  const strategy = { branchStrategy: { type: 'branch' as const, branch: 'work' } };
  const first = await place(path, strategy);
  const marker = join(temporaryFolder(), 'ran');
  const payload = join(temporaryFolder(), 'payload.sh');
  writeFileSync(payload, `#!/bin/sh\ntouch '${marker}'\n`, { mode: 0o755 });
  rmSync(join(first.path, '.git'));
  plantRepository(join(first.path, '.git'), payload);
  await first.lock.release();
  const warnings: string[] = [];
  expect(await place(path, strategy, warnings)).toMatchObject({ path: first.path, isReused: true });
  statusByUser(first.path);
  expect(existsSync(marker)).toBe(false);
  expect(warnings[0]).toContain('was replaced');
});

test('refuses a checkout whose whole `.git` was replaced', async () => {
  const path = newRepository();
  const worktree = await place(path, { branchStrategy: { type: 'head' } });
  const snapshot = await protectWorktree(worktree, CALL);
  renameSync(join(path, '.git'), join(path, 'git-before'));
  plantRepository(join(path, '.git'), 'true');
  await expect(verifyWorktree(snapshot, CALL)).rejects.toMatchObject({ code: 'git-failed' });
});
