/** `truecast token`: create, list and revoke access tokens. Only the hash of a token is stored. */
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { issueToken } from '@truecast/server/internal/tokens/access-token';
import type { AccessToken, TokenScope } from '@truecast/server/internal/tokens/token-store';
import { listTokens, revokeToken } from '@truecast/server/internal/tokens/token-rows';
import { openStore } from '@truecast/server/internal/tokens/token-store';
import type { Store } from '@truecast/server/internal/tokens/token-store';
import { OWN_COMMAND } from '../terminal/own-command.ts';
import { printResult, printText, tell, tellToCopy, type Terminal, columnsFor } from '../terminal/print.ts';
import { renderTable } from '../terminal/render-table.ts';
import { readSecretFiles } from './secret-files.ts';

/** Name of this caller in the audit log. */
const ACTOR = 'command';

/** Flags that select the server. */
export interface TokenFlags {
  /**
   * Path of a file, or `postgres://…`. @default `truecast.sqlite` in the repository's state folder
   */
  readonly databaseUrl?: string;
  readonly json?: boolean;
}

export interface TokenCreateFlags extends TokenFlags {
  readonly name: string;
  readonly owner?: string;
  /** @default ['chats'] */
  readonly scope?: readonly TokenScope[];
  /** Lifetime in milliseconds. */
  readonly expires?: number;
}

/** Creates a token and prints it. It cannot be read again later. */
export async function tokenCreateCommand(flags: TokenCreateFlags, terminal: Terminal): Promise<void> {
  const { name, owner, scope: scopes, expires: expiresInMs } = flags;
  const issued = await withStore(flags, (store) =>
    issueToken(
      store,
      {
        name,
        ...(owner !== undefined && { owner }),
        ...(scopes !== undefined && { scopes }),
        ...(expiresInMs !== undefined && { expiresInMs }),
      },
      ACTOR,
    ),
  );
  if (flags.json === true) await printResult(issued, terminal);
  else printText(`${issued.token}\n`, terminal);
  tellToCopy(
    'The token is not shown again. To revoke it',
    `${OWN_COMMAND} token revoke ${issued.id}`,
    terminal,
  );
}

/** Lists the tokens, oldest first. */
export async function tokenListCommand(flags: TokenFlags, terminal: Terminal): Promise<void> {
  const tokens = await withStore(flags, (store) => listTokens(store.db));
  if (flags.json === true) await printResult(tokens, terminal);
  else if (tokens.length === 0) {
    tell(`There are no tokens. Create one with \`${OWN_COMMAND} token create --name NAME\`.`, terminal);
  } else {
    const layout = { rightAligned: [], columns: columnsFor(terminal.stdout), droppable: [4, 2] };
    printText(`${renderTable([HEAD, ...tokens.map(toCells)], layout)}\n`, terminal);
  }
}

/** Revokes a token. It is invalid from now on. */
export async function tokenRevokeCommand(id: string, flags: TokenFlags, terminal: Terminal): Promise<void> {
  if (!(await withStore(flags, (store) => revokeToken(store, id, Date.now(), ACTOR)))) {
    throw new UsageError(
      `There is no token \`${id}\`, or it is already revoked. List the ids with \`truecast token list\`.`,
    );
  }
  tell('Revoked.', terminal);
}

const HEAD = ['id', 'name', 'owner', 'scopes', 'made', 'expires', 'revoked'];

function toCells({ id, name, owner, scopes, createdAt, expiresAt, revokedAt }: AccessToken): string[] {
  return [id, name, owner, scopes.join(' '), timeOf(createdAt), timeOf(expiresAt), timeOf(revokedAt)];
}

function timeOf(atMs: number | undefined): string {
  return atMs === undefined ? '' : new Date(atMs).toISOString().slice(0, 16).replace('T', ' ');
}

/** Runs `work` on the database of the flags. */
export async function withStore<T>(
  { databaseUrl }: TokenFlags,
  work: (store: Store) => Promise<T>,
): Promise<T> {
  await readSecretFiles(process.env);
  const store = await openStore(databaseUrl === undefined ? {} : { url: databaseUrl });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}
