/** Checks of the server's responses about the caller and access tokens. Pure. */
import {
  array,
  boolean,
  number,
  object,
  oneOf,
  optional,
  string,
  type Shape,
} from '@truecast/core/internal/shape/shape';
import type {
  IssuedTokenView,
  MeView,
  ScopeName,
  TokenListView,
} from '@truecast/client/internal/wire/account';

/** All scopes, each with what it allows. */
export const SCOPES: Readonly<Record<ScopeName, string>> = {
  chats: 'Ask, and read chats and receipts',
  project: 'Read runs and ledgers of the project',
  metrics: 'Read /metrics',
  admin: 'Manage tokens',
};

const scopes: Shape<readonly ScopeName[]> = array(oneOf('chats', 'project', 'metrics', 'admin'));
const text = optional(string);

/** Check of the caller. */
export const meCheck: Shape<MeView> = object({
  owner: string,
  token_name: string,
  scopes,
  expires_at: text,
  server_version: string,
  features: object({ workspace: boolean, agents: boolean, subagents: boolean, web_search: boolean }),
  limits: object({ requests_per_minute: number, concurrent_requests: number, open_streams: number }),
});

const shape = {
  id: string,
  owner: string,
  name: string,
  scopes,
  created_at: string,
  expires_at: text,
  revoked_at: text,
};

/** Check of the list of tokens. */
export const tokenListCheck: Shape<TokenListView> = object({ tokens: array(object(shape)) });

/** Check of a new token. */
export const issuedTokenCheck: Shape<IssuedTokenView> = object({ ...shape, token: string });
