/**
 * Paths that are written to, or that another program gets: as an argument, as its folder, or in a
 * mount. A link of a repository or of a guest could lead each of them elsewhere, so each place has a
 * reason why it does not.
 */
import { expect, it } from 'vitest';
import { readSource, sourceFiles } from './source-tree.ts';

/** Functions of `node:fs` and `node:fs/promises` that change what is at a path. */
const WRITING =
  /^(?:writeFile|appendFile|mkdir|mkdtemp|rm|rmdir|rename|unlink|symlink|link|l?chmod|l?chown|truncate|l?utimes|copyFile|cp|createWriteStream)(?:Sync)?$/u;
/** Functions that start a program. */
const STARTING =
  /^(?:(?:spawn|exec|execFile|fork)(?:Sync)?|startProgram|runProgram|spawnCommand|spawnStream|startDetached|runInteractively|callEngine)$/u;
const MOUNTING = /(?<!\w)(?:readOnly|writable)\(|'--(?:ro-)?bind(?:-try)?'|'--volume'|'--mount'/gu;
const IMPORT = /import\s+(?<what>[^'"]*?)\s+from\s+'(?<from>[^']+)'/gu;

const OWN = 'In a folder of the state or of this process, which no guest can write.';
const GIT = 'In a git directory that only the host writes: a guest has its own.';
const CHECKED = 'The path comes from `trustedPath`, or from the functions for regular files.';
const CHOSEN = 'The caller of the library chose the path for this copy.';
const OPERATOR = 'The user or the operator chose the path, and runs code from it.';
const CALLED = 'Gets its paths from callers in this list.';
const NO_PATH = 'Starts a program without a path of a stranger.';
const REPOSITORY = 'Works in the checkout of `openRepository`, whose path is checked.';
const WORKTREE = 'Below `.truecast/worktrees`, which are real folders, and which no commit can add.';
const TEST_FOLDER = 'In a folder that was made for this check.';
const SYSTEM = 'Paths of the system, of installed programs, or of the kernel.';
const NO_FOLLOW = 'Removes or renames a name itself, and does not follow it.';

/** Number of writes, starts and mounts in each file, and why their paths are safe. */
const ALLOWED: Readonly<Record<string, readonly [counts: string, reason: string]>> = {
  'truecast/src/agents/sessions/moved-session.ts': [
    '2 0 0',
    'Below the store of sessions of the worker’s user. A source that leaves it is refused.',
  ],
  'cli/src/action/action-outputs.ts': ['2 0 0', OWN],
  'cli/src/action/enable-bubblewrap.ts': ['0 1 0', NO_PATH],
  'cli/src/action/publish-patch.ts': ['2 0 0', OWN],
  'cli/src/action/runner.ts': ['2 0 0', OPERATOR],
  'cli/src/compare/right-answer.ts': ['0 1 0', NO_PATH],
  'cli/src/demo/demo-command.ts': ['3 1 0', TEST_FOLDER],
  'cli/src/doctor/check-machine.ts': ['0 1 0', NO_PATH],
  'cli/src/ensemble/ensemble-init-command.ts': ['1 0 0', CHECKED],
  'cli/src/flags/import-module.ts': ['0 1 0', OPERATOR],
  'cli/src/flags/read-prompt.ts': ['2 0 0', OWN],
  'cli/src/init/add-dependencies.ts': ['0 1 0', REPOSITORY],
  'cli/src/init/find-defaults.ts': ['0 3 0', CHECKED],
  'cli/src/init/sandcastle/write-project.ts': ['1 0 0', NO_FOLLOW],
  'cli/src/overview.ts': ['0 2 0', NO_PATH],
  'cli/src/serve/serve-command.ts': ['0 1 0', OWN],
  'cli/src/serve/server-file.ts': ['3 0 0', OWN],
  'host/src/allowed-files.ts': ['2 0 0', OWN],
  'host/src/state-home.ts': ['3 0 0', OWN],
  'model/src/modes/record-outcome.ts': ['2 0 0', CHOSEN],
  'server/src/serve/profile-engines.ts': ['2 0 0', OWN],
  'server/src/serve/runs/run-remains.ts': ['2 0 0', OWN],
  'server/src/serve/runs/store-artifacts.ts': ['1 0 0', OWN],
  'server/src/serve/workspaces.ts': ['3 0 0', OPERATOR],
  'server/src/tools/stdio-transport.ts': ['0 1 0', OPERATOR],
  'store/src/sqlite/open-sqlite.ts': ['1 0 0', CHECKED],
  'truecast/src/agents/acp/agent-process.ts': ['0 1 0', NO_PATH],
  'truecast/src/agents/acp/start-mark.ts': [
    '2 0 0',
    'In a temporary folder that the bridge makes and removes in the agent’s environment, with the rights of the agent.',
  ],
  'truecast/src/agents/gemini-cli/gemini-session.ts': ['2 0 0', OWN],
  'truecast/src/agents/sessions/sandbox-files.ts': ['3 0 0', OWN],
  'truecast/src/git/checkout/checkout-journal.ts': ['6 0 0', GIT],
  'truecast/src/git/checkout/stale-locks.ts': ['1 0 0', GIT],
  'truecast/src/git/checkout/undo-checkout.ts': ['3 0 0', NO_FOLLOW],
  'truecast/src/git/command/git-group.ts': ['0 1 0', CALLED],
  'truecast/src/git/command/git.ts': ['0 1 0', REPOSITORY],
  'truecast/src/git/command/lock.ts': ['7 0 0', GIT],
  'truecast/src/git/command/quarantine.ts': ['3 0 0', NO_FOLLOW],
  'truecast/src/git/filters/attributes.ts': ['1 0 0', OWN],
  'truecast/src/git/landing/added-text.ts': ['0 1 0', REPOSITORY],
  'truecast/src/git/recovered/head-log.ts': ['2 0 0', GIT],
  'truecast/src/git/remote/remote-clone.ts': ['2 0 0', GIT],
  'truecast/src/git/repository/folder-copy.ts': ['7 0 0', OWN],
  'truecast/src/git/repository/own-files.ts': ['1 0 0', GIT],
  'truecast/src/git/worktree/copy-to-worktree.ts': ['2 0 0', CHECKED],
  'truecast/src/git/worktree/hooks-snapshot.ts': ['2 0 0', GIT],
  'truecast/src/git/worktree/recover-checkouts.ts': ['3 0 0', GIT],
  'truecast/src/git/worktree/reuse-worktree.ts': ['1 0 0', GIT],
  'truecast/src/git/worktree/verify.ts': ['2 0 0', GIT],
  'truecast/src/git/worktree/whole-patch.ts': ['2 0 0', OWN],
  'truecast/src/git/worktree/add-worktree.ts': ['1 0 0', WORKTREE],
  'truecast/src/git/worktree/worktree.ts': ['1 0 0', GIT],
  'truecast/src/guest-git/admit-objects.ts': ['1 0 0', GIT],
  'truecast/src/guest-git/hand-over-commands.ts': ['1 0 0', GIT],
  'truecast/src/guest-git/receive/feed-git.ts': ['0 1 0', CALLED],
  'truecast/src/guest-git/receive/receive-lfs.ts': ['8 0 0', GIT],
  'truecast/src/guest-git/store/guest-store.ts': ['3 0 0', GIT],
  'truecast/src/guest-git/store/index-copy.ts': ['2 0 0', GIT],
  'truecast/src/guest-git/store/lay-out-store.ts': ['4 0 0', GIT],
  'truecast/src/guest-git/store/store-binds.ts': ['0 0 5', GIT],
  'truecast/src/guest-git/store/submodule-copies.ts': ['3 0 1', GIT],
  'truecast/src/ports/guest-bind.ts': ['0 0 2', CALLED],
  'truecast/src/process/process-tree.ts': ['0 1 0', CALLED],
  'truecast/src/process/run-program.ts': ['0 1 0', CALLED],
  'truecast/src/process/spawn-command.ts': ['0 1 0', CALLED],
  'truecast/src/process/spawn-stream.ts': ['0 1 0', CALLED],
  'truecast/src/process/start-detached.ts': ['0 1 0', CALLED],
  'truecast/src/process/temporary-folder.ts': ['6 0 0', OWN],
  'truecast/src/process/unlinked-file.ts': ['1 0 0', OWN],
  'truecast/src/run/attachments/attachment-folder.ts': ['2 0 0', NO_FOLLOW],
  'truecast/src/run/attachments/left-attachments.ts': ['5 0 0', GIT],
  'truecast/src/run/batch/batch-template.ts': ['2 0 0', OWN],
  'truecast/src/run/batch/pending-landings.ts': ['4 0 0', GIT],
  'truecast/src/run/escapes/escape-bait.ts': ['7 1 0', TEST_FOLDER],
  'truecast/src/run/escapes/file-escapes.ts': ['1 0 0', TEST_FOLDER],
  'truecast/src/run/finalizer/finalizer-folder.ts': ['5 0 0', OWN],
  'truecast/src/run/finalizer/finalizer-server.ts': ['2 0 0', OWN],
  'truecast/src/run/finalizer/listing-watch.ts': ['2 0 0', OWN],
  'truecast/src/run/leftovers/ended-worktree.ts': ['2 0 0', WORKTREE],
  'truecast/src/run/leftovers/find-leftovers.ts': ['1 0 0', OWN],
  'truecast/src/run/leftovers/leftover-worktrees.ts': ['1 0 0', WORKTREE],
  'truecast/src/run/leftovers/restore-worktree.ts': ['1 0 0', OWN],
  'truecast/src/run/logging/log-file.ts': ['1 0 0', 'a descriptor that `openChosenFile()` opened'],
  'truecast/src/git/command/left-agents.ts': ['5 0 0', GIT],
  'truecast/src/run/executions/execution-store.ts': ['4 0 0', OWN],
  'truecast/src/run/executions/salvage-session.ts': ['1 0 0', OWN],
  'truecast/src/run/logging/run-journal.ts': ['4 0 0', OWN],
  'truecast/src/run/places/enter-sandbox.ts': ['2 0 0', OWN],
  'truecast/src/run/places/recover-guests.ts': ['1 0 0', OWN],
  'truecast/src/run/record/write-kept-run.ts': ['5 0 0', OWN],
  'truecast/src/run/review/clear-rights.ts': ['1 0 0', NO_FOLLOW],
  'truecast/src/run/review/defuse-repository.ts': ['1 0 0', NO_FOLLOW],
  'truecast/src/run/review/placeholders.ts': ['8 0 0', NO_FOLLOW],
  'truecast/src/run/review/protect-checkout.ts': ['3 0 0', OWN],
  'truecast/src/run/settle/publish-branch.ts': ['0 1 0', REPOSITORY],
  'truecast/src/sandboxes/bubblewrap/arguments.ts': ['0 0 4', CHECKED],
  'truecast/src/sandboxes/bubblewrap/command.ts': ['0 2 1', CHECKED],
  'truecast/src/sandboxes/bubblewrap/control-group.ts': ['7 1 0', SYSTEM],
  'truecast/src/sandboxes/bubblewrap/etc-folder.ts': ['4 0 0', OWN],
  'truecast/src/sandboxes/bubblewrap/find-bubblewrap.ts': ['0 1 0', SYSTEM],
  'truecast/src/sandboxes/bubblewrap/guest-files.ts': ['2 0 0', CHOSEN],
  'truecast/src/sandboxes/bubblewrap/home.ts': ['3 0 0', OWN],
  'truecast/src/sandboxes/bubblewrap/programs.ts': ['0 0 1', SYSTEM],
  'truecast/src/sandboxes/bubblewrap/standby.ts': ['0 2 0', CHECKED],
  'truecast/src/sandboxes/bubblewrap/system.ts': ['0 0 8', SYSTEM],
  'truecast/src/sandboxes/containers/build-image.ts': ['2 2 0', CHECKED],
  'truecast/src/sandboxes/containers/container-arguments.ts': ['0 0 1', CHECKED],
  'truecast/src/sandboxes/containers/container-command.ts': ['0 3 0', CALLED],
  'truecast/src/sandboxes/containers/container-engine.ts': ['0 1 0', CALLED],
  'truecast/src/sandboxes/containers/container-files.ts': ['2 2 0', CHOSEN],
  'truecast/src/sandboxes/containers/container-folder.ts': ['8 0 0', OWN],
  'truecast/src/sandboxes/containers/container-image.ts': ['0 1 0', NO_PATH],
  'truecast/src/sandboxes/containers/container-limits.ts': ['0 1 0', NO_PATH],
  'truecast/src/sandboxes/containers/container-handle.ts': ['0 1 0', NO_PATH],
  'truecast/src/sandboxes/containers/host-labels.ts': ['0 2 0', NO_PATH],
  'truecast/src/sandboxes/containers/open-container.ts': ['0 3 0', NO_PATH],
  'truecast/src/sandboxes/containers/prepare-container.ts': ['3 0 1', CHECKED],
  'truecast/src/sandboxes/containers/probe-engine.ts': ['0 2 0', NO_PATH],
  'truecast/src/sandboxes/containers/start-container.ts': ['0 1 0', CALLED],
  'truecast/src/sandboxes/egress/forwarder.ts': ['0 1 0', NO_PATH],
  'truecast/src/sandboxes/egress/proxy/socket-server.ts': ['1 0 0', OWN],
  'truecast/src/sandboxes/isolated/bring-back.ts': ['5 0 0', OWN],
  'truecast/src/sandboxes/isolated/carry-files.ts': ['1 0 0', OWN],
  'truecast/src/sandboxes/isolated/guest-machine.ts': ['1 0 0', OWN],
  'truecast/src/sandboxes/isolated/isolated-sandbox.ts': ['1 0 0', CHOSEN],
  'truecast/src/sandboxes/isolated/receive-bundle.ts': ['2 0 0', OWN],
  'truecast/src/sandboxes/isolated/remote-machine.ts': ['1 1 0', OWN],
  'truecast/src/sandboxes/isolated/send-worktree.ts': ['1 0 0', OWN],
  'truecast/src/sandboxes/no-sandbox.ts': ['2 2 0', CHOSEN],
  'truecast/src/sandboxes/probe.ts': ['0 1 0', SYSTEM],
  'truecast/src/sandboxes/shared/hide-own-folder.ts': ['0 0 2', CHECKED],
  'truecast/src/sandboxes/shared/run-interactively.ts': ['0 1 0', CALLED],
  'truecast/src/sandboxes/shared/seccomp-profile.ts': ['1 0 0', OWN],
  'truecast/src/support/open-chosen-file.ts': ['1 0 0', CHECKED],
  'truecast/src/support/open-regular-file.ts': ['1 0 0', CHECKED],
  'truecast/src/support/truecast-folder.ts': ['5 0 0', CHECKED],
};

it('has a reason for each path that is written to or handed to another program', () => {
  const found = sourceFiles()
    // Doubles and suites for tests.
    .filter((path) => !/\/(?:testing\/|test-)/u.test(path))
    .map((path) => [path, countPlaces(readSource(path))] as const)
    .filter(([, counts]) => counts !== '0 0 0');
  const allowed = Object.entries(ALLOWED).map(([path, [counts]]) => [`packages/${path}`, counts]);
  expect(Object.fromEntries(found)).toEqual(Object.fromEntries(allowed));
});

it.each([
  [`import { writeFile } from 'node:fs/promises';\nawait writeFile('a', '');`, '1 0 0'],
  [`import { rmSync as remove, statSync } from 'node:fs';\nremove('a');\nstatSync('b');`, '1 0 0'],
  [
    `import * as fs from 'node:fs';\nfs.mkdirSync('a');\nfs.promises.rm('b');\nfs.readFileSync('c');`,
    '2 0 0',
  ],
  [`import { spawn } from 'node:child_process';\nspawn('a', []);`, '0 1 0'],
  [`import { runProgram } from '../process/run-program.ts';\nawait runProgram('a', []);`, '0 1 0'],
  [
    `import { runProgram } from 'truecast/internal/process/run-program';\nawait runProgram('a', []);`,
    '0 1 0',
  ],
  [
    `import { writable } from '../ports/guest-bind.ts';\nbinds.push(writable(path), ['--bind', a, b]);`,
    '0 0 2',
  ],
  [
    `import { statSync } from 'node:fs';\nstatSync('a');\nhandle.writeFile('');\npattern.exec(text);`,
    '0 0 0',
  ],
])('counts the writes, starts and mounts of %j', (source, counts) => {
  expect(countPlaces(source)).toBe(counts);
});

/** Returns the numbers of writes, starts and mounts. */
function countPlaces(source: string): string {
  const imports = [...source.matchAll(IMPORT)].map(({ groups }) => groups ?? {});
  const isFs = (from = ''): boolean => /^node:fs(?:\/promises)?$/u.test(from);
  const isOther = (from = ''): boolean =>
    from === 'node:child_process' || from.startsWith('.') || from.includes('/internal/');
  const count = (isFrom: (from?: string) => boolean, name: RegExp): number =>
    imports
      .filter(({ from }) => isFrom(from))
      .flatMap(({ what = '' }) => calledNames(what, name))
      .reduce(
        (sum, called) => sum + [...source.matchAll(new RegExp(`(?<![\\w.#])${called}\\(`, 'gu'))].length,
        0,
      );
  return [count(isFs, WRITING), count(isOther, STARTING), [...source.matchAll(MOUNTING)].length].join(' ');
}

/** Returns patterns of the local names of the imported functions. */
function calledNames(what: string, name: RegExp): readonly string[] {
  const namespace = /^\*\s+as\s+(\w+)$|^(\w+)$/u.exec(what.trim());
  const alias = namespace?.[1] ?? namespace?.[2];
  if (alias !== undefined) return [`${alias}(?:\\.promises)?\\.${name.source.replaceAll(/[$^]/gu, '')}`];
  return what
    .replaceAll(/[{}]/gu, '')
    .split(',')
    .map((each) => each.trim().split(/\s+as\s+/u))
    .filter(([imported = '']) => name.test(imported))
    .map(([imported = '', local = imported]) => local);
}
