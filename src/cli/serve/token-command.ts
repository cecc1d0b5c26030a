/** Owns `truecast token`: who may ask a server, by tokens of which only the hash is kept. */
import { UsageError } from '../../errors/usage-error.ts';
import { issueToken } from '../../server/http/access-token.ts';
import type { AccessToken } from '../../server/contract/access-tokens.ts';
import { listTokens, revokeToken } from '../../server/state/tokens.ts';
import { openStore } from '../../store/open-store.ts';
import type { Store } from '../../store/store.ts';
import { printResult, tell, type Terminal } from '../print.ts';
import { renderTable } from '../render-table.ts';

/** The flags that say which server's tokens are meant. */
export interface TokenFlags {
  /** A file's path, or `postgres://…`. @default .truecast/truecast.sqlite */
  readonly databaseUrl?: string;
  readonly json?: boolean;
}

/** The flags of `truecast token create`. */
export interface TokenCreateFlags extends TokenFlags {
  readonly name: string;
  readonly owner?: string;
}

/** Makes a token, and prints it: the only time that it can be read. */
export async function tokenCreateCommand(flags: TokenCreateFlags, terminal: Terminal): Promise<void> {
  const { name, owner } = flags;
  const issued = await withStore(flags, (store) =>
    issueToken(store, { name, ...(owner !== undefined && { owner }) }),
  );
  if (flags.json === true) await printResult(issued, terminal);
  else terminal.stdout.write(`${issued.token}\n`);
  tell(`It is shown this once. To take it back: truecast token revoke ${issued.id}`, terminal);
}

/** Lists the tokens, the oldest first. */
export async function tokenListCommand(flags: TokenFlags, terminal: Terminal): Promise<void> {
  const tokens = await withStore(flags, (store) => listTokens(store.db));
  if (flags.json === true) await printResult(tokens, terminal);
  else if (tokens.length === 0)
    tell('There is no token. Make one with `truecast token create --name NAME`.', terminal);
  else terminal.stdout.write(`${renderTable([HEAD, ...tokens.map(toCells)], { rightAligned: [] })}\n`);
}

/** Revokes a token: from now on it opens nothing. */
export async function tokenRevokeCommand(id: string, flags: TokenFlags, terminal: Terminal): Promise<void> {
  if (!(await withStore(flags, (store) => revokeToken(store.db, id, Date.now())))) {
    throw new UsageError(
      `There is no token with the id \`${id}\` that could be revoked. \`truecast token list\` shows the ids.`,
    );
  }
  tell('Revoked.', terminal);
}

const HEAD = ['id', 'name', 'owner', 'made', 'revoked'];

function toCells({ id, name, owner, createdAt, revokedAt }: AccessToken): string[] {
  return [id, name, owner, timeOf(createdAt), revokedAt === undefined ? '' : timeOf(revokedAt)];
}

function timeOf(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 16).replace('T', ' ');
}

async function withStore<T>({ databaseUrl }: TokenFlags, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore(databaseUrl === undefined ? {} : { url: databaseUrl });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}
