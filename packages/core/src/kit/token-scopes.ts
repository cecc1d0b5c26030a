/** Scopes of access tokens, as the server, the command, the console and the documents list them. Pure. */

/** The actions of a token, by its scope. Each route requires one scope. */
export const SCOPE_RIGHTS = {
  chats: 'Ask, and read chats and receipts',
  runs: 'Start coding agents, and read their runs',
  project: 'Read kept runs and ledgers of the project',
  metrics: 'Read /metrics',
  admin: 'Manage tokens, and connect models',
} as const;

/** A permission of an access token. */
export type TokenScope = keyof typeof SCOPE_RIGHTS;

// `Object.keys` loses the key type of the table.
export const TOKEN_SCOPES = Object.keys(SCOPE_RIGHTS) as readonly TokenScope[];
