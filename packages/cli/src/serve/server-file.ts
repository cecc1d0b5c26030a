/** Local server: its note for shell commands with its URL, and the token of the user who started it. */
import { chmod, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { ensureStateFolder, stateFolderOf } from '@truecast/host/internal/state-folder';
import { parseJson } from '@truecast/core/internal/output/json/parse-json';
import { TOKEN_SCOPES, type AccessToken } from '@truecast/server/internal/contract/access-tokens';
import { authenticate, issueToken } from '@truecast/server/internal/http/access-token';
import { listTokens } from '@truecast/server/internal/state/tokens';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import type { Store } from '@truecast/server/internal/serve/server-store';

/** Address and token of a server. */
interface ServerNote {
  readonly url: string;
  /** Absent if other machines can reach the server: each caller then needs a separate token. */
  readonly token?: string;
}

const FILE_NAME = 'server.json';
/** The file contains a token, so only its owner can read it. */
const MODE = 0o600;

const noteSchema: z.ZodType<ServerNote> = z.object({ url: z.string(), token: z.string().exactOptional() });

/** Returns the path of the note of the current folder's repository. */
export function serverNotePath(): string {
  return join(stateFolderOf(process.cwd()), FILE_NAME);
}

/** Reads the note of the current folder's repository. Undefined if it is missing or unreadable. */
export async function readServerNote(): Promise<ServerNote | undefined> {
  const text = await readFile(serverNotePath(), 'utf8').catch(() => undefined);
  const parsed = text === undefined ? undefined : parseJson(text);
  return parsed?.success === true ? noteSchema.safeParse(parsed.value).data : undefined;
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

const NAME = 'truecast serve';
/** In a local database the user keeps this id, even if the note is lost. */
export const LOCAL_OWNER = 'local';

/** Returns the token of the last start if it is still valid for this store, else a new one. */
export async function localToken(store: Store): Promise<string> {
  const token = (await readServerNote())?.token;
  if (token !== undefined && (await opens(store, token))) return token;
  const owner = store.dialect === 'sqlite' ? { owner: LOCAL_OWNER } : {};
  return (await issueToken(store, { name: NAME, scopes: TOKEN_SCOPES, ...owner }, 'command')).token;
}

/**
 * Checks that a token exists if other machines can reach the server.
 *
 * @throws UsageError
 */
export async function assertHasToken(store: Store, host: string): Promise<void> {
  const tokens = await listTokens(store.db);
  const isUsable = ({ revokedAt, expiresAt = Infinity, name, scopes }: AccessToken): boolean =>
    revokedAt === undefined && expiresAt > Date.now() && name !== NAME && scopes.includes('chats');
  if (tokens.some(isUsable)) return;
  throw new UsageError(
    `\`--host ${host}\` is reachable from other machines, and there is no access token yet. Create one with \`truecast token create --name NAME\`, or use \`--host 127.0.0.1\`, which creates one for you.`,
  );
}

async function opens(store: Store, token: string): Promise<boolean> {
  try {
    await authenticate({ store }, `Bearer ${token}`);
    return true;
  } catch {
    return false;
  }
}
