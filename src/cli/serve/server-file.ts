/** Owns the note that a local server leaves for the shell: where it is, and the token of whoever started it. */
import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { parseJson } from '../../output/parse-json.ts';

/** Where a server is. */
export interface ServerNote {
  readonly url: string;
  /** Absent where the server can be reached from elsewhere: each caller has one of its own. */
  readonly token?: string;
}

const FILE = '.truecast/server.json';
/** It holds a token: nobody else may read it. */
const MODE = 0o600;

const noteSchema: z.ZodType<ServerNote> = z.object({ url: z.string(), token: z.string().exactOptional() });

/** Reads the note of the current folder; undefined where there is none that can be read. */
export async function readServerNote(): Promise<ServerNote | undefined> {
  const text = await readFile(FILE, 'utf8').catch(() => undefined);
  const parsed = text === undefined ? undefined : parseJson(text);
  return parsed?.success === true ? noteSchema.safeParse(parsed.value).data : undefined;
}

/** Writes the note, whole or not at all. */
export async function writeServerNote(note: ServerNote): Promise<void> {
  await mkdir(dirname(FILE), { recursive: true });
  const draft = `${FILE}.${process.pid}`;
  await writeFile(draft, `${JSON.stringify(note)}\n`, { mode: MODE });
  // A draft that was there already kept its own mode.
  await chmod(draft, MODE);
  await rename(draft, FILE);
}
