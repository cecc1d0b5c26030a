/**
 * Placeholders: entries in the user's checkout that serve as mount points for names that a guest
 * must not create.
 *
 * A mount needs an existing target. The placeholder of a folder is an empty folder. The placeholder
 * of a file is a socket. Git lists neither, and opening the socket fails at once. A record outside
 * of the checkout lists placeholders before they are created, so that the next run can remove those
 * of a killed run.
 */
import { jsonValueOf } from '@truecast/core/internal/kit/json-value-of';
import { randomUUID } from 'node:crypto';
import {
  closeSync,
  constants,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmdirSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { z } from 'zod';
import { processIdentitySchema } from '../../process/process-identity-schema.ts';
import { isSurelyDead, thisProcess } from '../../process/process-identity.ts';
import { readRegularFile } from '../../support/open-regular-file.ts';

/** An absent name of the checkout's top folder. */
export interface AbsentName {
  readonly name: string;
  readonly kind: 'file' | 'folder';
}

export interface Placeholders {
  readonly made: readonly AbsentName[];
  /** Removes the placeholders. Entries with which the user replaced them are kept. */
  remove(): void;
}

const RECORD = z.object({
  owner: processIdentitySchema,
  topLevel: z.string(),
  names: z.array(z.object({ name: z.string(), kind: z.enum(['file', 'folder']) })),
});

const MAX_RECORD_BYTES = 64 * 1024;

function recordsFolder(commonDir: string): string {
  return join(commonDir, 'truecast', 'placeholders');
}

/** Creates placeholders. A name that cannot be created, or exists in the meantime, is skipped. */
export async function makePlaceholders(
  { topLevel, commonDir }: { readonly topLevel: string; readonly commonDir: string },
  names: readonly AbsentName[],
): Promise<Placeholders> {
  const folder = recordsFolder(commonDir);
  const record = join(folder, `${randomUUID()}.json`);
  mkdirSync(folder, { recursive: true });
  const servers: Server[] = [];
  const made: AbsentName[] = [];
  let descriptor: number | undefined;
  let isRemoved = false;
  const remove = (): void => {
    if (isRemoved) return;
    isRemoved = true;
    removeNames(topLevel, made);
    for (const server of servers) server.close();
    // Closed last, because closing a server removes its address again, through this descriptor.
    if (descriptor !== undefined) closeSync(descriptor);
    rmSync(record, { force: true });
  };
  try {
    writeFileSync(record, JSON.stringify({ owner: thisProcess(), topLevel, names }), { flag: 'wx' });
    descriptor = openSync(topLevel, constants.O_RDONLY | constants.O_DIRECTORY);
    for (const absent of names) {
      const isMade =
        absent.kind === 'folder'
          ? makeFolder(join(topLevel, absent.name))
          : linkSocket(topLevel, made, absent.name) ||
            // The path through the descriptor is short. A socket address has at most 107 bytes.
            (await listen(`/proc/self/fd/${descriptor}/${absent.name}`, servers));
      if (isMade) made.push(absent);
    }
    return { made, remove };
  } catch (error) {
    remove();
    throw error;
  }
}

/** Removes placeholders of killed runs. */
export async function removeLeftPlaceholders(commonDir: string): Promise<void> {
  const root = recordsFolder(commonDir);
  for (const path of listRecords(root)) {
    const text = await readRegularFile({ root, path, maxBytes: MAX_RECORD_BYTES }).catch(() => undefined);
    const record = RECORD.safeParse(jsonValueOf(text?.toString('utf8') ?? ''));
    if (!record.success || !isSurelyDead(record.data.owner)) continue;
    removeNames(record.data.topLevel, record.data.names);
    rmSync(join(root, path), { force: true });
  }
}

function listRecords(root: string): readonly string[] {
  try {
    return readdirSync(root);
  } catch {
    return [];
  }
}

/**
 * An empty file is a placeholder too: bubblewrap creates one if the user has removed the socket.
 */
function removeNames(topLevel: string, names: readonly AbsentName[]): void {
  for (const { name, kind } of names) {
    const path = join(topLevel, name);
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (kind === 'folder' && found?.isDirectory() === true) removeEmptyFolder(path);
    if (kind === 'file' && (found?.isSocket() === true || (found?.isFile() === true && found.size === 0))) {
      unlinkSync(path);
    }
  }
}

function removeEmptyFolder(path: string): void {
  try {
    rmdirSync(path);
  } catch {
    // The user has put a file into it in the meantime.
  }
}

/** Returns false for a name that exists, or that cannot be created. */
function makeFolder(path: string): boolean {
  try {
    mkdirSync(path);
    return true;
  } catch {
    return false;
  }
}

/**
 * Links a socket that exists to another name, which takes a fraction of the time of a new one.
 * Returns false without a socket, or if the link cannot be created.
 */
function linkSocket(topLevel: string, made: readonly AbsentName[], name: string): boolean {
  const first = made.find(({ kind }) => kind === 'file');
  if (first === undefined) return false;
  const path = join(topLevel, first.name);
  if (lstatSync(path, { throwIfNoEntry: false })?.isSocket() !== true) return false;
  try {
    linkSync(path, join(topLevel, name));
    return true;
  } catch {
    return false;
  }
}

async function listen(path: string, servers: Server[]): Promise<boolean> {
  const server = createServer((socket) => socket.destroy());
  const isListening = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(path, () => resolve(true));
  });
  server.unref();
  if (isListening) servers.push(server);
  return isListening;
}
