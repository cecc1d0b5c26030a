/** Note of the local server: its URL and token, for shell commands. */
import { chmod, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ensureStateFolder, stateFolderOf } from '@truecast/host/internal/state-folder';
import { parseJson } from '@truecast/core/internal/json/parse-json';
import { hasShape } from '@truecast/core/internal/shape/find-mismatch';
import { object, optional, string, type Shape } from '@truecast/core/internal/shape/shape';

/** Address and token of a server. */
interface ServerNote {
  readonly url: string;
  /** Absent if other machines can reach the server: each caller then needs a separate token. */
  readonly token?: string;
}

const FILE_NAME = 'server.json';
/** The file contains a token, so only its owner can read it. */
const MODE = 0o600;

// Without Zod: loading it takes a seventh of the time of a command that asks a server.
const noteShape: Shape<ServerNote> = object({ url: string, token: optional(string) });

/** Returns the path of the note of the current folder's repository. */
export function serverNotePath(): string {
  return join(stateFolderOf(process.cwd()), FILE_NAME);
}

/** Reads the note of the current folder's repository. Undefined if it is missing or unreadable. */
export async function readServerNote(): Promise<ServerNote | undefined> {
  const text = await readFile(serverNotePath(), 'utf8').catch(() => undefined);
  const parsed = text === undefined ? undefined : parseJson(text);
  return parsed?.success === true && hasShape(noteShape, parsed.value) ? parsed.value : undefined;
}

export async function writeServerNote(note: ServerNote): Promise<void> {
  await writePrivateFile(FILE_NAME, `${JSON.stringify(note)}\n`);
}

/** Writes a file of the current folder's repository atomically. Returns its path. */
export async function writePrivateFile(name: string, text: string): Promise<string> {
  const file = join(ensureStateFolder(stateFolderOf(process.cwd())), name);
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, text, { mode: MODE });
  // An existing draft file keeps its old mode.
  await chmod(draft, MODE);
  await rename(draft, file);
  return file;
}
