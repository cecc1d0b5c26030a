/**
 * Journal of checkouts that git is writing: merges, and new worktrees. An entry that outlives its
 * process tells the next run what a killed one has left half written.
 *
 * entry written -> git starts -> its process id is added -> git ends -> entry removed
 */
import { jsonValueOf } from '@truecast/core/internal/kit/json-value-of';
import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RepositoryError } from '@truecast/core/internal/errors/repository-error';
import { z } from 'zod';
import {
  processIdentity,
  isSurelyDead,
  thisProcess,
  type ProcessIdentity,
} from '../../process/process-identity.ts';
import { processIdentitySchema } from '../../process/process-identity-schema.ts';
import { readRegularFileSync } from '../../support/regular-file-sync.ts';

const ID = z.string().regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/u);

export interface PendingCheckout {
  /** `merge`: files change from one commit to another. `add`: a new worktree gets its files. */
  readonly kind: 'merge' | 'add';
  /** Top folder of the checkout. */
  readonly path: string;
  /** Commit that is checked out. For a new worktree, the same as `to`. */
  readonly from: string;
  /** Commit or tree whose files git writes. */
  readonly to: string;
  /** Commit that is merged. */
  readonly tip: string;
  readonly branch: string;
  /** True if the branch was created for the worktree. */
  readonly isNewBranch: boolean;
}

interface StoredEntry extends PendingCheckout {
  readonly startedAtMs: number;
  readonly owner: ProcessIdentity;
  readonly git?: ProcessIdentity | undefined;
  /** True if git failed, and the process that started it could not restore the checkout. */
  readonly isAbandoned: boolean;
}

export interface JournalEntry extends StoredEntry {
  readonly file: string;
}

const ENTRY: z.ZodType<StoredEntry> = z.object({
  kind: z.enum(['merge', 'add']),
  path: z.string(),
  from: ID,
  to: ID,
  tip: ID,
  branch: z.string(),
  isNewBranch: z.boolean(),
  startedAtMs: z.number(),
  owner: processIdentitySchema,
  git: processIdentitySchema.optional(),
  isAbandoned: z.boolean(),
});

const MAX_ENTRY_BYTES = 64 * 1024;

/**
 * Runs git for a checkout with an entry in the journal. The entry stays for the next run if git is
 * stopped by its timeout or an abort, and if a merge cannot be undone.
 *
 * @param work gets a listener for the process id of git
 */
export async function journaled<TResult>(
  commonDir: string,
  checkout: PendingCheckout,
  work: (onSpawn: (pid: number) => void) => Promise<TResult>,
): Promise<TResult> {
  const file = join(folderOf(commonDir), `${randomUUID()}.json`);
  const entry = { ...checkout, startedAtMs: Date.now(), owner: thisProcess(), isAbandoned: false };
  write(file, entry);
  let hasStarted = false;
  const onSpawn = (pid: number): void => {
    hasStarted = true;
    write(file, { ...entry, git: processIdentity(pid) });
  };
  try {
    const result = await work(onSpawn);
    rmSync(file, { force: true });
    return result;
  } catch (error) {
    const isRefused = RepositoryError.isInstance(error) && error.code !== 'timeout';
    // Git itself removes a worktree that it cannot add. A merge fails here only if its undoing does.
    const isWhole = isRefused && !(checkout.kind === 'merge' && hasStarted);
    if (isWhole) rmSync(file, { force: true });
    else write(file, { ...entry, isAbandoned: true });
    throw error;
  }
}

/** Lists the entries that no live process of Truecast works on. */
export function listUnfinished(commonDir: string): readonly JournalEntry[] {
  let names: readonly string[];
  try {
    names = readdirSync(folderOf(commonDir));
  } catch {
    return [];
  }
  return names
    .filter((name) => name.endsWith('.json'))
    .flatMap((name) => readEntry(join(folderOf(commonDir), name)) ?? [])
    .filter(({ owner, isAbandoned }) => isAbandoned || isSurelyDead(owner));
}

/** Removes an entry whose checkout is whole. */
export function removeEntry({ file }: JournalEntry): void {
  rmSync(file, { force: true });
}

function readEntry(file: string): JournalEntry | undefined {
  const text = readRegularFileSync(file, { maxBytes: MAX_ENTRY_BYTES })?.toString('utf8');
  if (text === undefined) return undefined;
  // Git was not started for an incomplete entry, because an entry is renamed into place first.
  const parsed = ENTRY.safeParse(jsonValueOf(text));
  return parsed.success ? { ...parsed.data, file } : undefined;
}

/** Beside the locks, where a sandboxed guest cannot write. */
function folderOf(commonDir: string): string {
  return join(commonDir, 'truecast', 'checkouts');
}

/** Renamed into place, so that no process reads a part of it. */
function write(file: string, entry: StoredEntry): void {
  const draft = `${file}.draft`;
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(draft, JSON.stringify(entry));
  renameSync(draft, file);
}
