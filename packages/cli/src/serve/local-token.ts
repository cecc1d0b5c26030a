/**
 * Local token: the access token of the user who starts a server. Apart from the note, which commands read
 * where no server is installed.
 */
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { TOKEN_SCOPES, type AccessToken } from '@truecast/server/internal/tokens/token-store';
import { authenticate, issueToken } from '@truecast/server/internal/tokens/access-token';
import type { Store } from '@truecast/server/internal/tokens/token-store';
import { listTokens } from '@truecast/server/internal/tokens/token-rows';
import { readServerNote } from './server-file.ts';

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
