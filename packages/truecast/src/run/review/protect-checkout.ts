/**
 * Protection of the user's checkout: files that run code on the host are mounted read-only while an
 * agent works in it.
 */
import { lstatSync, mkdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, posix } from 'node:path';
import type { LockedWorktree } from '../../git/worktree/worktree.ts';
import type { MountConfig } from '../../ports/sandbox-provider.ts';
import { makeTemporaryFolder, removeTree } from '../../process/temporary-folder.ts';
import type { SensitiveFile } from './find-sensitive-files.ts';
import { toShownPath } from './walk-checkout.ts';
import { PROTECTED_RULES, type PathRule } from './paths/path-rules.ts';
import { makePlaceholders, type AbsentName, type Placeholders } from './placeholders.ts';

/** Read by every shell of the user, if the checkout is the home folder. */
const PROFILE_NAMES: readonly AbsentName[] = [
  '.bashrc',
  '.bash_profile',
  '.bash_login',
  '.profile',
  '.zshrc',
  '.zshenv',
  '.zprofile',
  '.zlogin',
].map((name) => ({ name, kind: 'file' }) as const);

/** Read-only mounts of a checkout. */
export interface CheckoutProtection {
  readonly mounts: readonly MountConfig[];
  /** Host paths of the read-only mount points. */
  readonly mountPoints: readonly string[];
  /** Removes everything created for the protection. Call it when the sandbox is closed. */
  remove(): Promise<void>;
}

export interface ProtectCheckoutOptions {
  readonly worktree: LockedWorktree;
  /** Current sensitive files of the checkout. */
  readonly files: readonly SensitiveFile[];
  /** Paths that the agent can edit, relative to the checkout. */
  readonly editablePaths: readonly string[];
  /** True if a mount can come from any host folder. A virtual machine shares only some. */
  readonly isOnHost: boolean;
}

/**
 * Prepares the mounts of a sandbox that can write the user's own checkout. Leaves nothing behind on
 * failure.
 */
export async function protectCheckout(options: ProtectCheckoutOptions): Promise<CheckoutProtection> {
  const { path: topLevel, commonDir } = options.worktree;
  const isEditable = (path: string): boolean =>
    options.editablePaths.some((editable) => overlap(editable, path));
  const names = [...PROTECTED_RULES, ...(topLevel === homedir() ? PROFILE_NAMES : [])].filter(
    ({ name }) => !isEditable(name),
  );
  const folder = await makeTemporaryFolder('protected', { isSmall: options.isOnHost });
  let placeholders: Placeholders | undefined;
  const remove = async (): Promise<void> => {
    placeholders?.remove();
    await removeTree(folder);
  };
  try {
    writeFileSync(join(folder, 'file'), '');
    mkdirSync(join(folder, 'folder'));
    // OpenCode 1.18 fails if `.opencode` lacks this file and is not writable. The file ignores
    // itself.
    writeFileSync(join(folder, 'folder', '.gitignore'), '*\n');
    const absent = names.filter((one) => !isCommon(one) && kindAt(join(topLevel, one.name)) === 'missing');
    placeholders = await makePlaceholders({ topLevel, commonDir }, absent);
    const { made } = placeholders;
    const candidates = [...names.map(({ name }) => name), ...programPaths(options.files)];
    const paths = candidates.filter((path) => !isEditable(path) && !made.some(({ name }) => name === path));
    const mounts = mountsOf({ topLevel, folder, paths, made });
    const readonlyMounts = mounts.filter((one) => one.readonly === true);
    const mountPoints = readonlyMounts.map(({ sandboxPath }) => join(topLevel, sandboxPath));
    return { mounts, mountPoints, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

interface Protected {
  readonly topLevel: string;
  /** Folder with the content that is shown at a placeholder. */
  readonly folder: string;
  /** Paths that can exist in the checkout itself. */
  readonly paths: readonly string[];
  readonly made: readonly AbsentName[];
}

function mountsOf({ topLevel, folder, paths, made }: Protected): readonly MountConfig[] {
  const readonlyPaths = [...new Set(paths)].filter((path) => kindAt(join(topLevel, path)) === 'mountable');
  return [
    // A folder mounted onto itself cannot be renamed away from its content.
    ...parentsOf(readonlyPaths).map((path) => mount(join(topLevel, path), path, false)),
    ...readonlyPaths.map((path) => mount(join(topLevel, path), path, true)),
    ...made.map(({ name, kind }) => mount(join(folder, kind), name, true)),
  ];
}

/**
 * Returns the files that git's configuration starts or reads, the folders of its hooks, and the files
 * that Truecast executes or reads.
 */
function programPaths(files: readonly SensitiveFile[]): readonly string[] {
  const programs = files.filter(
    ({ kind, runsAt }) => kind === 'file' && (runsAt === 'git' || runsAt === 'truecast'),
  );
  return programs.map(({ path, reason }) => {
    const shown = toShownPath(path);
    // New hooks must not be added either.
    return reason === 'hook' && shown.includes('/') ? posix.dirname(shown) : shown;
  });
}

function isCommon(name: AbsentName | PathRule): boolean {
  return 'isCommonName' in name && name.isCommonName;
}

function mount(hostPath: string, sandboxPath: string, readonly: boolean): MountConfig {
  return { hostPath, sandboxPath, readonly };
}

function parentsOf(paths: readonly string[]): readonly string[] {
  const parents = new Set<string>();
  for (const path of paths) {
    for (let parent = dirname(path); parent !== '.'; parent = dirname(parent)) parents.add(parent);
  }
  return [...parents]
    .filter((parent) => !paths.includes(parent))
    .toSorted((one, other) => one.length - other.length);
}

/** A symlink cannot be mounted over, so it is only reviewed after the run. */
function kindAt(path: string): 'missing' | 'mountable' | 'other' {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return 'missing';
  return found.isFile() || found.isDirectory() ? 'mountable' : 'other';
}

function overlap(editable: string, path: string): boolean {
  const one = posix.normalize(editable).replace(/\/$/u, '');
  return one === path || one.startsWith(`${path}/`) || path.startsWith(`${one}/`);
}
