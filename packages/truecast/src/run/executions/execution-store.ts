/** Store of runs with an id: one file per id in the repository's state folder, with the newest ones only. */
import { createHash } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { ensureStateFolder } from '@truecast/host/internal/state-folder';
import { jsonValueOf } from '@truecast/core/internal/kit/json-value-of';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { readRegularFileSync } from '../../support/regular-file-sync.ts';
import { storageError } from '../../support/storage-error.ts';
import { executionRecordSchema, type ExecutionRecord } from './execution-record.ts';

/** An answer has at most some megabytes, and the texts beside it are cut. */
const MAX_RECORD_BYTES: number = 32 * 1024 * 1024;
/** An engine repeats a run within days. Older ended runs are forgotten. */
const MAX_ENDED = 1_000;
/** Removed together: a worker ends many runs, and must not read the times of all files at each end. */
const REMOVED_AT_ONCE = 100;
const FILE_MODE = 0o600;
const KEY_CHARS = 32;

/** File of one id. */
export interface ExecutionStore {
  /** Undefined for a new id. @throws UsageError `not-repeatable` for a file of another version */
  read(): ExecutionRecord | undefined;
  /** Replaces the record. After this, no kill of the process loses it. */
  write(record: ExecutionRecord): void;
  /** Removes the record. It can be gone. */
  remove(): void;
}

/** Returns the name of an id in the store, which is a hash, so no id names a path. */
export function executionKey(id: string): string {
  return createHash('sha256').update(id).digest('hex').slice(0, KEY_CHARS);
}

/** Lists the keys of all records. */
export function listExecutionKeys(stateFolder: string): readonly string[] {
  const names = readdirSync(ensureStateFolder(stateFolder, 'executions'));
  return names.flatMap((name) => /^([\da-f]{32})\.json$/u.exec(name)?.[1] ?? []);
}

/** Reads the id of a record. Undefined if it is gone, of another version, or damaged. */
export function readExecutionId(stateFolder: string, key: string): string | undefined {
  const path = join(ensureStateFolder(stateFolder, 'executions'), `${key}.json`);
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return undefined;
  const text = readRegularFileSync(path, { maxBytes: MAX_RECORD_BYTES })?.toString('utf8') ?? '';
  return executionRecordSchema.safeParse(jsonValueOf(text)).data?.id;
}

/** Opens the file of an id. */
export function openExecutionStore(stateFolder: string, id: string): ExecutionStore {
  const folder = ensureStateFolder(stateFolder, 'executions');
  const path = join(folder, `${executionKey(id)}.json`);
  return {
    read: () => readRecord(path, id),
    remove: () => rmSync(path, { force: true }),
    write(record) {
      try {
        writeDurably(path, `${JSON.stringify(record)}\n`);
      } catch (error) {
        throw storageError(error);
      }
      if (record.phase === 'ended') removeOldest(folder);
    },
  };
}

function readRecord(path: string, id: string): ExecutionRecord | undefined {
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return undefined;
  const text = readRegularFileSync(path, { maxBytes: MAX_RECORD_BYTES })?.toString('utf8') ?? '';
  const record = executionRecordSchema.safeParse(jsonValueOf(text)).data;
  if (record?.id === id) return record;
  throw new UsageError(
    `The state of the run \`${id}\` in \`${path}\` cannot be read: another version of Truecast wrote it, or it is damaged. Update Truecast, or remove the file to start the run again.`,
    { code: 'not-repeatable' },
  );
}

/** Appears whole or not at all, also after a power cut. */
function writeDurably(path: string, text: string): void {
  const draft = `${path}.part`;
  const descriptor = openSync(draft, 'w', FILE_MODE);
  try {
    writeFileSync(descriptor, text);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(draft, path);
}

/** Of many ended runs, the oldest are removed. One that has not ended is kept. */
function removeOldest(folder: string): void {
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
  if (names.length < MAX_ENDED + REMOVED_AT_ONCE) return;
  const files = names
    .map((name) => join(folder, name))
    .map((path) => ({ path, time: statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .toSorted((one, other) => one.time - other.time);
  for (const { path } of files.slice(0, files.length - MAX_ENDED)) {
    const text = readRegularFileSync(path, { maxBytes: MAX_RECORD_BYTES })?.toString('utf8') ?? '';
    const record = executionRecordSchema.safeParse(jsonValueOf(text)).data;
    if (record?.phase === 'ended') rmSync(path, { force: true });
  }
}
