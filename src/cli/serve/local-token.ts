/** Owns the token of whoever starts a server on loopback: made once, and found again at the next start. */
import { authenticate, issueToken } from '../../server/http/access-token.ts';
import { listTokens } from '../../server/state/tokens.ts';
import { UsageError } from '../../errors/usage-error.ts';
import type { Store } from '../../store/store.ts';
import { readServerNote } from './server-file.ts';

const NAME = 'truecast serve';
/** On a database of its own the local user stays the same, also when the note is lost. */
const LOCAL_OWNER = 'local';

/** Returns the token of the last start as long as it opens this store, else a new one. */
export async function localToken(store: Store): Promise<string> {
  const token = (await readServerNote())?.token;
  if (token !== undefined && (await opens(store, token))) return token;
  const owner = store.dialect === 'sqlite' ? { owner: LOCAL_OWNER } : {};
  return (await issueToken(store, { name: NAME, ...owner })).token;
}

/**
 * Makes sure that a server which others can reach can be used by somebody.
 *
 * @throws UsageError
 */
export async function assertHasToken(store: Store, host: string): Promise<void> {
  const tokens = await listTokens(store.db);
  if (tokens.some(({ revokedAt, name }) => revokedAt === undefined && name !== NAME)) return;
  throw new UsageError(
    `Others can reach \`--host ${host}\`, and nobody has a token yet. Make one with \`truecast token create --name NAME\`, or serve on 127.0.0.1, which makes one for you.`,
  );
}

async function opens(store: Store, token: string): Promise<boolean> {
  try {
    await authenticate(store, `Bearer ${token}`);
    return true;
  } catch {
    return false;
  }
}
