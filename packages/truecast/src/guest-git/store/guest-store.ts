/**
 * Guest's git store on the host: its folder, its record, and the files for the comparison in the
 * final script.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import type { ProcessIdentity } from '../../process/process-identity.ts';
import { processIdentitySchema } from '../../process/process-identity-schema.ts';

/** A store next to the repository's objects, so that received objects can be renamed into place. */
export interface GuestStore {
  readonly id: string;
  readonly folder: string;
  readonly worktreePath: string;
  /** Target of the worktree's `.git` file. The store is mounted there. */
  readonly gitDir: string;
  readonly commonDir: string;
  /** Object folders of the host, the repository's own first, alternates of alternates included. */
  readonly objectFolders: readonly string[];
  /** The run's branch as a full reference. Undefined if HEAD is detached. */
  readonly branch: string | undefined;
  /** The branch's commit when the store was created. Updated with each hand-over. */
  readonly baseSha: string;
  /** True in the user's own checkout, where the user can stage something while an agent works. */
  readonly isOwnCheckout: boolean;
  /** True for a partial clone. */
  readonly isPartial: boolean;
  /** The process that works with the store. */
  readonly owner: ProcessIdentity;
  /** True if its sandbox was closed while the store still contained work. */
  readonly isAbandoned: boolean;
  /** True if a merge or rebase is unfinished inside. The next run continues with this store. */
  readonly isUnfinished: boolean;
  /** True if some of the work was rejected. The store is kept until the user deletes it. */
  readonly isKeptForUser: boolean;
  /** Commits without a name that were kept and reported: of the stash, and of a detached HEAD. */
  readonly reported: readonly string[];
  /** Number of commits that were created inside before the last hand-over. */
  readonly madeCount: number;
}

const RECORD = z.object({
  id: z.string().regex(/^[\w-]+$/u),
  worktreePath: z.string(),
  gitDir: z.string(),
  commonDir: z.string(),
  objectFolders: z.array(z.string()),
  branch: z
    .string()
    .regex(/^refs\/heads\/\S+$/u)
    .optional(),
  baseSha: z.string().regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/u),
  isOwnCheckout: z.boolean(),
  isPartial: z.boolean(),
  owner: processIdentitySchema,
  isAbandoned: z.boolean(),
  isUnfinished: z.boolean(),
  isKeptForUser: z.boolean(),
  reported: z.array(z.string()).default([]),
  madeCount: z.int().nonnegative().default(0),
});

/** Returns the folder of all guests' stores. No guest can write it. */
export function guestsFolder(commonDir: string): string {
  return join(commonDir, 'truecast', 'guests');
}

/**
 * Returns the git directory that the guest writes. The host creates it, and never reads it
 * afterwards.
 */
export function storeGitDir({ folder }: Pick<GuestStore, 'folder'>): string {
  return join(folder, 'git');
}

/** Returns the folder that the final script reads, mounted read-only. */
export function handedFolder({ folder }: Pick<GuestStore, 'folder'>): string {
  return join(folder, 'handed');
}

/** Returns the quarantine for received objects. */
export function incomingFolder({ folder }: Pick<GuestStore, 'folder'>): string {
  return join(folder, 'incoming');
}

/** Writes the store's record. A store without one is incomplete. */
export function writeRecord({ folder, ...record }: GuestStore): void {
  writeFileSync(join(folder, 'run.json'), JSON.stringify(record));
}

/** Reads a store's record. Undefined if it is missing or invalid. */
export function readStore(folder: string): GuestStore | undefined {
  const path = join(folder, 'run.json');
  if (!existsSync(path)) return undefined;
  try {
    const { data } = RECORD.safeParse(JSON.parse(readFileSync(path, 'utf8')));
    if (data === undefined || !isOfFolder(data, folder)) return undefined;
    const { branch, ...record } = data;
    return { ...record, branch, folder, objectFolders: findObjectFolders(record.commonDir) };
  } catch {
    return undefined;
  }
}

/**
 * A sandbox that shares the host's git directory could have written a record. Its paths decide what
 * is mounted, so they must be those of the repository that contains the folder.
 */
function isOfFolder({ id, gitDir, commonDir }: z.infer<typeof RECORD>, folder: string): boolean {
  return (
    folder === join(guestsFolder(commonDir), id) &&
    (gitDir === commonDir || dirname(gitDir) === join(commonDir, 'worktrees'))
  );
}

/** References by name at the last hand-over. */
export type KnownReferences = ReadonlyMap<string, string>;

/** Writes the files with which the guest's references are compared. */
export function writeKnown(store: Pick<GuestStore, 'folder' | 'baseSha'>, known: KnownReferences): void {
  const folder = handedFolder(store);
  const lines = [...known].map(([name, sha]) => `${sha} ${name}\n`);
  writeFileSync(join(folder, 'known'), `${store.baseSha} HEAD\n${lines.join('')}`);
  const ids = new Set([store.baseSha, ...known.values()]);
  writeFileSync(join(folder, 'not'), `--not\n${[...ids].join('\n')}\n`);
}

/** Reads the references of the last hand-over. */
export function readKnown(store: Pick<GuestStore, 'folder'>): KnownReferences {
  const lines = readFileSync(join(handedFolder(store), 'known'), 'utf8')
    .trimEnd()
    .split('\n');
  return parseReferences(lines.slice(1));
}

/** Parses lines of an id and a reference name. */
export function parseReferences(lines: readonly string[]): Map<string, string> {
  const entries = lines
    .filter((line) => line.includes(' '))
    .map((line) => [line.slice(line.indexOf(' ') + 1), line.slice(0, line.indexOf(' '))] as const);
  return new Map(entries);
}

/** Returns the folders, the repository's own first. Stops at cycles. */
export function findObjectFolders(commonDir: string): readonly string[] {
  const found: string[] = [];
  const visit = (objects: string): void => {
    if (found.includes(objects) || !existsSync(objects)) return;
    found.push(objects);
    const list = join(objects, 'info', 'alternates');
    if (!existsSync(list)) return;
    for (const line of readFileSync(list, 'utf8').split('\n')) {
      if (line !== '' && !line.startsWith('#')) visit(resolve(objects, unquoted(line)));
    }
  };
  visit(join(commonDir, 'objects'));
  return found;
}

/** Git quotes a path with special characters as a C string. */
function unquoted(line: string): string {
  if (!line.startsWith('"') || !line.endsWith('"')) return line;
  return line.slice(1, -1).replaceAll(/\\(.)/gu, '$1');
}
