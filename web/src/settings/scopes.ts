/** Scopes of access tokens, as the console describes them. */
import type { ScopeName } from '@truecast/client/internal/wire/account';

/** All scopes, each with what it allows. */
export const SCOPES: Readonly<Record<ScopeName, string>> = {
  chats: 'Ask, and read chats and receipts',
  project: 'Read runs and ledgers of the project',
  metrics: 'Read /metrics',
  admin: 'Manage tokens',
};
