/**
 * Every path below a checkout or its git directory that the host opens, replaced by a symlink, a
 * pipe, a device and an endless file. Each ends with a typed error or without the content.
 */
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { extractCommand } from '../../packages/cli/src/extract-command.ts';
import { findPackageManager } from '../../packages/cli/src/init/find-defaults.ts';
import { loadSchema } from '../../packages/cli/src/flags/load-schema.ts';
import { loadEnsemble } from '../../packages/ensemble/src/manifest/load-ensemble.ts';
import { TruecastError } from '../../packages/core/src/errors/base/truecast-error.ts';
import { replay } from '../../packages/truecast/src/run/record/replay.ts';
import { readEnvFile } from '../../packages/truecast/src/run/prepare/env-file.ts';
import { copyToWorktree } from '../../packages/truecast/src/git/worktree/copy-to-worktree.ts';
import { findUsedFilters } from '../../packages/truecast/src/git/filters/used-filters.ts';
import { acquireLock, listLocks } from '../../packages/truecast/src/git/command/lock.ts';
import { pathsOf } from '../../packages/truecast/src/git/repository/repository.ts';
import { readStatus } from '../../packages/truecast/src/git/worktree/status.ts';
import { ensureTruecastFolder } from '../../packages/truecast/src/support/truecast-folder.ts';
import {
  CALL,
  cleanUp,
  commit,
  newRepository,
  open,
  place,
  plainGit,
} from '../../packages/truecast/src/git/test-repository.ts';
import { protectWorktree, verifyWorktree } from '../../packages/truecast/src/git/worktree/verify.ts';
import { listAdminDirectories } from '../../packages/truecast/src/git/checkout/admin-directories.ts';
import { layOutStore } from '../../packages/truecast/src/guest-git/store/lay-out-store.ts';
import { storeGitDir } from '../../packages/truecast/src/guest-git/store/guest-store.ts';
import { readOutcomes } from '../../packages/truecast/src/run/logging/read-outcomes.ts';
import { openChosenFile } from '../../packages/truecast/src/support/open-chosen-file.ts';
import { preparePrompt } from '../../packages/truecast/src/run/prompt/prepare-prompt.ts';
import { defuseRebase } from '../../packages/truecast/src/run/review/defuse-repository.ts';
import { fingerprintOf } from '../../packages/truecast/src/run/review/file-fingerprint.ts';
import { withOwnIndex } from '../../packages/truecast/src/sandboxes/isolated/carry-files.ts';
import {
  findGeminiProject,
  findGeminiSessionOnHost,
} from 'truecast/internal/agents/gemini-cli/gemini-session';
import { readHostPrograms } from '../../packages/truecast/src/run/review/read-host-programs.ts';
import { readHostSession } from 'truecast/internal/agents/sessions/host-sessions';
import { matrixColumns } from '../matrix.ts';
import { temporaryFolder } from './fixture.ts';

afterEach(cleanUp);

const SECRET = 'content-of-another-file';
const SESSION = '11111111-1111-4111-8111-111111111111';
const ENDLESS_BYTES = 1024 ** 4;
/** Above each limit of a text file, and far below `ENDLESS_BYTES`. */
const MAX_READ_BYTES = 64 * 1024 * 1024;
/** Git itself can wait for a pipe. Its calls end at their timeout. */
const SHORT_CALL = { timeoutMs: 2_000 };

/** Replaces a path by something that is not a small regular file. */
const KINDS: Readonly<Record<string, (path: string) => void>> = {
  'a symlink': (path) => {
    const target = join(temporaryFolder(), 'secret');
    writeFileSync(target, `${SECRET}\n`);
    symlinkSync(target, path);
  },
  'a pipe': (path) => void execFileSync('mkfifo', [path]),
  'a link to an endless device': (path) => symlinkSync('/dev/zero', path),
  'an endless file': (path) => {
    writeFileSync(path, SECRET);
    truncateSync(path, ENDLESS_BYTES);
  },
};

function plant(kind: string, path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  rmSync(path, { recursive: true, force: true });
  KINDS[kind]?.(path);
}

/** Returns the bytes that this process has read so far, from anything. */
function readBytes(): number {
  return Number(/^rchar: (\d+)$/mu.exec(readFileSync('/proc/self/io', 'utf8'))?.[1]);
}

interface Opened {
  readonly repository: string;
  /** Replaces a path of the repository. */
  readonly plant: (path: string) => string;
}

/** One place where the host opens a path. The result is everything that it returned or wrote. */
type Case = (opened: Opened) => unknown;

const written = (path: string): string =>
  existsSync(path) ? readFileSync(path, 'latin1').slice(0, 10_000) : '';

/** Protects a worktree like a run does, lets the guest plant, and returns the findings. */
async function verified({ repository, plant: replace }: Opened, path: string): Promise<unknown> {
  const worktree = await place(repository, { branchStrategy: { type: 'head' } });
  const before = await protectWorktree(worktree, CALL);
  replace(path);
  return verifyWorktree(before, SHORT_CALL);
}

/** The same for a file of a populated submodule, which its guest can write. */
async function verifiedSubmodule(opened: Opened, path: string): Promise<unknown> {
  const { repository } = opened;
  const sub = join(repository, 'sub');
  mkdirSync(sub);
  plainGit(sub, 'init', '--quiet');
  commit(sub, 'x.txt', 'x');
  plainGit(
    repository,
    'update-index',
    '--add',
    '--cacheinfo',
    `160000,${plainGit(sub, 'rev-parse', 'HEAD')},sub`,
  );
  return verified(opened, path);
}

async function laidOut({ repository, plant: replace }: Opened, path: string): Promise<unknown> {
  replace(join('.git', path));
  const gitDir = join(repository, '.git');
  const { store } = await layOutStore({
    worktreePath: repository,
    gitDir,
    commonDir: gitDir,
    hasOtherOwner: false,
    ...SHORT_CALL,
  });
  return written(join(storeGitDir(store), path));
}

async function appended({ plant: replace }: Opened, path: string): Promise<void> {
  await using file = await openChosenFile(replace(path), 'append');
  await file.appendFile('line\n');
}

const TERMINAL = { stdin: [], stdout: { write: () => true }, stderr: { write: () => true } };

const CASES: Readonly<Record<string, Case>> = {
  '.truecast/.env': async ({ repository, plant: replace }) => {
    replace('.truecast/.env');
    return readEnvFile(await open(repository));
  },
  '.truecast/.gitignore': ({ repository, plant: replace }) => {
    const path = replace('.truecast/worktrees/.gitignore');
    ensureTruecastFolder(repository, 'worktrees');
    return readFileSync(path, 'utf8');
  },
  'a prompt file': ({ plant: replace }) => preparePrompt({ promptFile: replace('prompt.md') }),
  'a schema file': ({ plant: replace }) => loadSchema(replace('schema.json')),
  'a recording': ({ plant: replace }) => replay(replace('recording.jsonl')),
  'a transcript': ({ plant: replace }) =>
    extractCommand(replace('transcript.txt'), { tag: 'result' }, TERMINAL as never),
  'package.json': ({ repository, plant: replace }) => {
    replace('package.json');
    return findPackageManager(repository);
  },
  'a manifest': ({ plant: replace }) =>
    loadEnsemble(dirname(dirname(replace('ensemble/agents/one.yaml'))), { env: {} }),
  'a log, at the first line': (opened) => appended(opened, 'run.log'),
  'the outcomes': ({ plant: replace }) => readOutcomes(replace('outcomes.jsonl')),
  'a session of the host': ({ plant: replace }) => readHostSession(replace('session.jsonl')),
  'the marker of a project of Gemini CLI': ({ repository, plant: replace }) => {
    replace('tmp/one/.project_root');
    return findGeminiProject(repository, join(repository, 'tmp'));
  },
  'a session of Gemini CLI': async ({ repository, plant: replace }) => {
    replace(`tmp/one/chats/session-x-${SESSION.slice(0, 8)}.jsonl`);
    return (await findGeminiSessionOnHost(SESSION, join(repository, 'tmp'))).path;
  },
  'the attributes of a repository': async ({ repository, plant: replace }) => {
    const opened = await open(repository);
    replace('.git/info/attributes');
    // Links are followed, as git does. The text only names filters, so it is not compared.
    return (await readHostPrograms(opened, CALL)).hookFolders;
  },
  'a file to copy': async ({ repository, plant: replace }) => {
    const worktree = await place(repository);
    replace('copied/file');
    const copied = await copyToWorktree(worktree, ['copied'], SHORT_CALL);
    return [copied.blocked, written(join(worktree.path, 'copied/nothing'))];
  },
  'the attributes of a checkout': async ({ repository, plant: replace }) => {
    plainGit(repository, 'config', 'filter.one.clean', 'cat');
    replace('.gitattributes');
    const opened = await open(repository);
    return findUsedFilters(pathsOf(opened), await opened.trustedConfig(), CALL);
  },
  'a lock': async ({ repository, plant: replace }) => {
    const commonDir = join(repository, '.git');
    const options = { commonDir, key: 'key', subject: 'It', command: 'test', now: new Date(0) };
    const lock = await acquireLock(options);
    replace(lock.path);
    const [listed] = await listLocks(commonDir);
    await (await acquireLock(options)).release();
    return listed?.holder;
  },
  'the `gitdir` of a worktree': ({ repository, plant: replace }) => {
    replace('.git/worktrees/one/gitdir');
    return listAdminDirectories(join(repository, '.git'));
  },
  'a hook': (opened) => verified(opened, '.git/hooks/pre-commit'),
  'a hook of before': (opened) => {
    writeFileSync(join(opened.repository, '.git/hooks/pre-commit'), '#!/bin/sh\n', { mode: 0o755 });
    return verified(opened, '.git/hooks/pre-commit');
  },
  'a hook of the checkout': (opened) => {
    plainGit(opened.repository, 'config', 'core.hooksPath', '.husky');
    return verified(opened, '.husky/post-index-change');
  },
  'the configuration': (opened) => verified(opened, '.git/config'),
  'the configuration of a worktree': (opened) => verified(opened, '.git/config.worktree'),
  'the `.git` file of a submodule': (opened) => verifiedSubmodule(opened, 'sub/.git'),
  'the configuration of a submodule': (opened) => verifiedSubmodule(opened, 'sub/.git/config'),
  'a hook of a submodule': (opened) => verifiedSubmodule(opened, 'sub/.git/hooks/post-checkout'),
  'the index of a submodule': (opened) => verifiedSubmodule(opened, 'sub/.git/index'),
  'the links of a linked worktree': async ({ repository, plant: replace }) => {
    const worktree = await place(repository);
    const before = await protectWorktree(worktree, CALL);
    for (const path of ['commondir', 'gitdir']) replace(join(worktree.gitDir, path));
    replace(join(worktree.path, '.git'));
    return verifyWorktree(before, SHORT_CALL);
  },
  'an unfinished rebase': ({ repository, plant: replace }) => {
    replace('.git/rebase-merge/git-rebase-todo');
    return defuseRebase(join(repository, '.git'));
  },
  'a sensitive file': ({ repository, plant: replace }) => {
    replace('.envrc');
    return fingerprintOf(repository, '.envrc').replace(/^link:.*/u, 'link');
  },
  'the exclude file, copied into a guest store': (opened) => laidOut(opened, 'info/exclude'),
  'the attributes, copied into a guest store': (opened) => laidOut(opened, 'info/attributes'),
  'the index, copied for an isolated sandbox': ({ repository, plant: replace }) => {
    replace('.git/index');
    const host = { paths: { gitDir: join(repository, '.git') } } as never;
    return withOwnIndex(host, temporaryFolder(), (path) => Promise.resolve(written(path)));
  },
  'an ignore file, read by git': async ({ repository, plant: replace }) => {
    const opened = await open(repository);
    replace('.gitignore');
    const { trustedCommit, trustedConfig } = { trustedCommit: 'HEAD', trustedConfig: opened.trustedConfig };
    return readStatus({ paths: pathsOf(opened), trustedCommit, trustedConfig }, SHORT_CALL);
  },
};

// The short form tries each case with one of the kinds.
const kinds = Object.keys(KINDS);

describe.each(kinds)('%s instead of a regular file', (kind) => {
  it.each(matrixColumns(kinds.indexOf(kind), Object.entries(CASES), { rows: kinds.length }))(
    'is not read: %s',
    async (_name, open_) => {
      const repository = newRepository();
      const replace = (path: string): string => {
        const full = path.startsWith('/') ? path : join(repository, path);
        plant(kind, full);
        return full;
      };
      const before = readBytes();
      const outcome: unknown = await Promise.resolve()
        .then(() => open_({ repository, plant: replace }))
        .catch((error: unknown) => {
          expect(TruecastError.isInstance(error), String(error)).toBe(true);
          return String(error);
        });
      expect(JSON.stringify(outcome) ?? '').not.toContain(SECRET);
      expect(readBytes() - before).toBeLessThan(MAX_READ_BYTES);
    },
  );
});
