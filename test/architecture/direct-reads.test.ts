/**
 * Reads of files by path that do not go through the functions for regular files. A pipe, a device,
 * a symlink or an endless file could be there, so each call has a reason why nobody else can place
 * the file.
 */
import { expect, it } from 'vitest';
import { readSource, sourceFiles } from './source-tree.ts';

/** Functions of `node:fs` and `node:fs/promises` that open a path. */
const OPENING = /^(?:readFile|open|createReadStream|copyFile|cp)(?:Sync)?$/u;
const FS_IMPORT = /import\s+(?<what>[^'"]*?)\s+from\s+'node:fs(?:\/promises)?'/gu;

const KERNEL = 'Files of the kernel in `/proc` and `/sys`.';
const PACKAGE = 'Files of the installed package.';
const OWN = 'Files in a folder of the state or of this process, which no guest can write.';
const CHOSEN = 'The caller of the library chose the path for this copy.';
const GIT = 'Files of a git directory that only the host writes: a guest has its own.';
const SAFE = 'Opens without following links, and accepts regular files only.';
const MACHINE = 'Settings of the machine, which only its administrator can write.';

/** Number of calls in each file, and why they are safe. */
const ALLOWED: Readonly<Record<string, readonly [calls: number, reason: string]>> = {
  'cli/src/ensemble/ensemble-init-command.ts': [1, PACKAGE],
  'cli/src/flags/import-module.ts': [1, 'The user chose the module, and its code runs next.'],
  'cli/src/init/scaffold.ts': [1, PACKAGE],
  'cli/src/serve/server-file.ts': [1, OWN],
  'ensemble/src/manifest/load-ensemble.ts': [1, SAFE],
  'host/src/inherited-descriptors.ts': [2, KERNEL],
  'host/src/state-folder.ts': [1, 'Checked first: the `.git` of a checkout, which no guest can replace.'],
  'server/src/http/pages/console-files.ts': [2, PACKAGE],
  'server/src/models/file/load-models-file.ts': [1, 'The operator chose the path when the server started.'],
  'server/src/runner/workers/worker-name.ts': [2, KERNEL],
  'server/src/serve/profile-engines.ts': [1, OWN],
  'store/src/sqlite/open-sqlite.ts': [1, OWN],
  'store/src/sqlite/wal-sync.ts': [1, OWN],
  'truecast/src/agents/acp/bridge-program.ts': [1, PACKAGE],
  'truecast/src/agents/sessions/sandbox-files.ts': [1, OWN],
  'truecast/src/git/command/git-group.ts': [2, OWN],
  'truecast/src/git/worktree/copy-to-worktree.ts': [
    1,
    'Its filter refuses everything but folders, regular files and symlinks.',
  ],
  'truecast/src/git/worktree/verify.ts': [1, 'Read before a guest starts, after git has read it.'],
  'truecast/src/guest-git/receive/lfs-sink.ts': [1, OWN],
  'truecast/src/guest-git/receive/receive-lfs.ts': [1, OWN],
  'truecast/src/guest-git/store/guest-store.ts': [3, OWN],
  'truecast/src/guest-git/store/index-copy.ts': [3, GIT],
  'truecast/src/guest-git/store/lay-out-store.ts': [1, GIT],
  'truecast/src/process/process-identity.ts': [2, KERNEL],
  'truecast/src/process/process-in-folder.ts': [1, KERNEL],
  'truecast/src/process/process-tree.ts': [3, KERNEL],
  'truecast/src/process/spawn-command.ts': [1, OWN],
  'truecast/src/process/spawn-stream.ts': [1, OWN],
  'truecast/src/process/temporary-folder.ts': [1, OWN],
  'truecast/src/process/unlinked-file.ts': [1, 'Opens a new file, and removes its name at once.'],
  'truecast/src/run/batch/lines-file.ts': [1, 'Opens a folder for its sync.'],
  'truecast/src/run/escapes/escape-bait.ts': [3, OWN],
  'truecast/src/run/finalizer/finalizer-folder.ts': [1, PACKAGE],
  'truecast/src/run/executions/execution-store.ts': [1, OWN],
  'truecast/src/run/logging/run-journal.ts': [1, OWN],
  'truecast/src/run/review/clear-rights.ts': [1, 'Opens without following links, and reads nothing.'],
  'truecast/src/run/review/host-sockets.ts': [1, KERNEL],
  'truecast/src/run/review/placeholders.ts': [1, 'Opens a folder, and refuses everything else.'],
  'truecast/src/sandboxes/bubblewrap/etc-folder.ts': [1, MACHINE],
  'truecast/src/sandboxes/bubblewrap/guest-files.ts': [6, CHOSEN],
  'truecast/src/sandboxes/bubblewrap/mount-sources.ts': [
    1,
    'Opens a path without its content, and compares it with the checked path.',
  ],
  'truecast/src/sandboxes/bubblewrap/system.ts': [
    1,
    'Files of the machine and of the kernel, which no guest can write.',
  ],
  'truecast/src/sandboxes/containers/build-image.ts': [
    1,
    'Node refuses to copy a pipe or a device, and symlinks stay symlinks.',
  ],
  'truecast/src/sandboxes/containers/container-files.ts': [2, CHOSEN],
  'truecast/src/sandboxes/isolated/remote-machine.ts': [2, CHOSEN],
  'truecast/src/sandboxes/no-sandbox.ts': [1, CHOSEN],
  'truecast/src/sandboxes/probe.ts': [1, KERNEL],
  'truecast/src/sandboxes/shared/mounted-sources.ts': [3, KERNEL],
  'truecast/src/sandboxes/shared/run-interactively.ts': [1, OWN],
  'truecast/src/sandboxes/shared/seccomp-profile.ts': [1, MACHINE],
  'truecast/src/support/open-chosen-file.ts': [
    5,
    'Below a checkout, the functions for regular files come first.',
  ],
  'truecast/src/support/open-regular-file.ts': [2, SAFE],
  'truecast/src/support/regular-file-sync.ts': [2, SAFE],
};

it('has a reason for each direct read', () => {
  const found = Object.fromEntries(
    sourceFiles()
      // Doubles and suites for tests.
      .filter((path) => !/\/(?:testing\/|test-)/u.test(path))
      .map((path) => [path, countCalls(readSource(path))] as const)
      .filter(([, calls]) => calls > 0),
  );
  const allowed = Object.entries(ALLOWED).map(([path, [calls]]) => [`packages/${path}`, calls]);
  expect(found).toEqual(Object.fromEntries(allowed));
});

it.each([
  [`import { readFileSync } from 'node:fs';\nreadFileSync('a');`, 1],
  [`import { open as openFile, type FileHandle } from 'node:fs/promises';\nawait openFile('a');`, 1],
  [`import * as fs from 'node:fs';\nfs.readFileSync('a');\nfs.statSync('b');`, 1],
  [`import fs from 'node:fs';\nfs.promises.readFile('a');`, 1],
  [`import { statSync } from 'node:fs';\nstatSync('a');\nhandle.readFile();`, 0],
])('counts the calls of %j', (source, calls) => {
  expect(countCalls(source)).toBe(calls);
});

function countCalls(source: string): number {
  const names = [...source.matchAll(FS_IMPORT)].flatMap(({ groups }) => localNames(groups?.['what'] ?? ''));
  return names.reduce(
    (sum, name) => sum + source.split(new RegExp(`(?<![\\w.#])${name}\\(`, 'u')).length - 1,
    0,
  );
}

/** Returns patterns of the local names that open a path. */
function localNames(what: string): readonly string[] {
  const namespace = /^(?:\*\s+as\s+)?(\w+)$/u.exec(what)?.[1];
  if (namespace !== undefined) {
    return [`${namespace}(?:\\.promises)?\\.(?:readFile|open|createReadStream|copyFile|cp)(?:Sync)?`];
  }
  return what
    .replaceAll(/[{}]/gu, '')
    .split(',')
    .map((each) => each.trim().split(/\s+as\s+/u))
    .filter(([name = '']) => OPENING.test(name))
    .map(([name = '', local = name]) => local);
}
