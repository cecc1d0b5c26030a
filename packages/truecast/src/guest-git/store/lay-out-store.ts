/** Layout of a guest's git store: plain files, written by the host before the guest starts. */
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { SandboxError } from '@truecast/core/internal/errors/sandbox-error';
import { isPartialClone, listConfig, type ConfigEntry } from '../../git/command/config-entries.ts';
import { git, gitOutput, type GitCallOptions, type GitOptions } from '../../git/command/git.ts';
import { neutralFiltersOf } from '../../git/repository/trusted-config.ts';
import { copyRegularFileSync } from '../../support/regular-file-sync.ts';
import { thisProcess } from '../../process/process-identity.ts';
import { configInside } from './config-inside.ts';
import { byReferenceName } from './final-script.ts';
import {
  guestsFolder,
  handedFolder,
  parseReferences,
  storeGitDir,
  writeKnown,
  writeRecord,
  type GuestStore,
  findObjectFolders,
} from './guest-store.ts';
import { saveIndex } from './index-copy.ts';
import { objectsInside } from './store-binds.ts';
import { copySubmodules } from './submodule-copies.ts';

export interface LayOutOptions extends GitCallOptions {
  readonly worktreePath: string;
  readonly gitDir: string;
  readonly commonDir: string;
  /** True if files have another owner inside than outside. */
  readonly hasOtherOwner: boolean;
  /** Configuration that was read before, and cannot have changed. If undefined, it is read now. */
  readonly configEntries?: readonly ConfigEntry[] | undefined;
  /**
   * The repository's references, if their listing has started. If undefined, they are listed now.
   */
  readonly references?: Promise<ReadonlyMap<string, string>> | undefined;
}

/** A store, and the author of its commits. */
export interface LaidOutStore {
  readonly store: GuestStore;
  /** Overrides that turn off every filter driver. Undefined for a store of an earlier run. */
  readonly neutralFilters: readonly string[] | undefined;
  /** `user.name` and `user.email` as the host's configuration sets them, from every scope. */
  readonly identity: { readonly name: string | undefined; readonly email: string | undefined };
}

/**
 * References visible to a guest. Excludes the stash and Truecast's own. Without the replaced objects,
 * the files of a replaced HEAD would be changes inside.
 */
const SHOWN_REFERENCES = ['refs/heads', 'refs/tags', 'refs/remotes', 'refs/notes', 'refs/replace'];
/** Users do not stage changes in the worktrees of runs. */
const WORKTREES = join(sep, '.truecast', 'worktrees', sep);
const FOLDERS = ['hooks', 'info', 'logs', 'objects/info', 'objects/pack', 'refs/heads', 'refs/tags'];

/**
 * Reads references and configuration, and writes the store.
 *
 * @throws RepositoryError `git-failed`, `timeout`; SandboxError `start` for a HEAD without a commit
 */
export async function layOutStore(options: LayOutOptions): Promise<LaidOutStore> {
  const { worktreePath, gitDir, commonDir } = options;
  const call: GitOptions = {
    timeoutMs: options.timeoutMs,
    signal: options.signal,
    cwd: worktreePath,
    paths: { gitDir, commonDir, workTree: worktreePath },
  };
  const isOwnCheckout = !worktreePath.includes(WORKTREES);
  const [references, entries] = await Promise.all([
    options.references ?? listReferences(call),
    options.configEntries ?? listConfig(call),
  ]);
  const head = await readHead(call);
  const baseSha = head.branch === undefined ? head.sha : references.get(head.branch);
  if (baseSha === undefined) throw withoutCommit(worktreePath);
  const id = randomBytes(6).toString('hex');
  const store: GuestStore = {
    id,
    folder: join(guestsFolder(commonDir), id),
    worktreePath,
    gitDir,
    commonDir,
    objectFolders: findObjectFolders(commonDir),
    branch: head.branch,
    baseSha,
    isOwnCheckout,
    isPartial: isPartialClone(entries),
    owner: thisProcess(),
    isAbandoned: false,
    isUnfinished: false,
    isKeptForUser: false,
    reported: [],
    madeCount: 0,
  };
  await copySubmodules(store, call, options);
  writeStore(store, { references, config: configInside(entries, options), head: head.text });
  const last = (key: string): string | undefined => lastValue(entries, key);
  return {
    store,
    neutralFilters: neutralFiltersOf(entries),
    identity: { name: last('user.name'), email: last('user.email') },
  };
}

/** Lists the references that a guest sees, by name. */
export async function listReferences(call: GitOptions): Promise<ReadonlyMap<string, string>> {
  const args = ['for-each-ref', '--format=%(objectname) %(refname)', ...SHOWN_REFERENCES];
  return parseReferences((await gitOutput(args, call)).split('\n'));
}

/** Filters the references that a guest sees. */
export function shownReferences(all: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  return new Map([...all].filter(([name]) => SHOWN_REFERENCES.some((root) => name.startsWith(`${root}/`))));
}

interface StoreContents {
  readonly references: ReadonlyMap<string, string>;
  readonly config: string;
  readonly head: string;
}

function writeStore(store: GuestStore, { references, config, head }: StoreContents): void {
  const { gitDir, commonDir, objectFolders } = store;
  const inside = storeGitDir(store);
  for (const folder of FOLDERS) mkdirSync(join(inside, folder), { recursive: true });
  mkdirSync(handedFolder(store));
  const write = (name: string, text: string): void => writeFileSync(join(inside, name), text);
  write('HEAD', head);
  write('config', config);
  const packed = [...references].toSorted(byReferenceName).map(([name, sha]) => `${sha} ${name}\n`);
  write('packed-refs', `# pack-refs with: sorted \n${packed.join('')}`);
  write('objects/info/alternates', objectFolders.map((_, index) => `${objectsInside(index)}\n`).join(''));
  const copy = (from: string, name: string): void => {
    copyRegularFileSync(join(from, name), join(inside, name));
  };
  // Read once, so that the guest and the comparison start from the same entries.
  saveIndex(store);
  copy(store.folder, 'index');
  for (const name of readdirSync(gitDir).filter((one) => one.startsWith('sharedindex.'))) copy(gitDir, name);
  copy(gitDir, 'info/sparse-checkout');
  for (const name of ['shallow', 'info/exclude', 'info/attributes']) copy(commonDir, name);
  writeFileSync(join(store.folder, 'empty'), '');
  writeKnown(store, references);
  // Last, because a store without a record counts as incomplete and is removed.
  writeRecord(store);
}

interface Head {
  readonly text: string;
  readonly branch: string | undefined;
  readonly sha: string | undefined;
}

async function readHead(call: GitOptions): Promise<Head> {
  const text = readFileSync(join(call.paths?.gitDir ?? '', 'HEAD'), 'utf8');
  // With `reftable` the file contains no real reference.
  if (!text.includes('refs/heads/.invalid')) return parseHead(text);
  const symbolic = await git(['symbolic-ref', '--quiet', 'HEAD'], call);
  if (symbolic.exitCode === 0) return parseHead(`ref: ${symbolic.stdout}`);
  return parseHead(await gitOutput(['rev-parse', '--verify', 'HEAD^{commit}'], call));
}

function parseHead(text: string): Head {
  const value = text.trim();
  if (value.startsWith('ref: ')) return { text, branch: value.slice('ref: '.length), sha: undefined };
  return { text, branch: undefined, sha: value };
}

function lastValue(entries: readonly ConfigEntry[], name: string): string | undefined {
  return entries.findLast(({ key, value }) => key === name && value !== '')?.value;
}

function withoutCommit(path: string): SandboxError {
  return new SandboxError(
    `HEAD of \`${path}\` points to no commit, so a sandbox cannot work there. Check out a branch that has a commit.`,
    { code: 'start' },
  );
}
