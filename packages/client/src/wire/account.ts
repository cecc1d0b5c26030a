/** Wire format of the caller and of access tokens. */
import {
  array,
  boolean,
  bounded,
  limited,
  number,
  object,
  oneOf,
  openOneOf,
  optional,
  string,
  time,
  type ObjectOf,
  type Shape,
} from '@truecast/core/internal/shape/shape';
import { TOKEN_SCOPES } from '@truecast/core/internal/kit/token-scopes';

const shownScopes = array(openOneOf(...TOKEN_SCOPES));

const meMembers = {
  owner: string,
  token_name: string,
  scopes: shownScopes,
  /** Absent if the token does not expire. */
  expires_at: optional(time),
  server_version: string,
  features: object({
    workspace: boolean,
    agents: boolean,
    subagents: boolean,
    web_search: boolean,
    /** True if `POST /api/models` connects a model. */
    connect_models: optional(boolean),
  }),
  /** Limits per token. */
  limits: object({ requests_per_minute: number, concurrent_requests: number, open_streams: number }),
};
/** The caller, and the server's limits and features. */
export interface MeView extends ObjectOf<typeof meMembers> {}
export const meView: Shape<MeView> = object(meMembers, 'Me');

const createSessionMembers = {
  /** True for a cookie that the browser keeps for 30 days. @default it is removed when the browser closes */
  keep: optional(boolean),
};
/** A new session of a browser. */
export interface CreateSessionBody extends ObjectOf<typeof createSessionMembers> {}
export const createSessionBody: Shape<CreateSessionBody> = object(createSessionMembers, 'CreateSession');

const sessionMembers = {
  /** Sent as a bearer token, together with the cookie. Neither is accepted alone. */
  key: string,
};
/** A session of a browser. */
export interface SessionView extends ObjectOf<typeof sessionMembers> {}
export const sessionView: Shape<SessionView> = object(sessionMembers, 'Session');

const sessionCodeMembers = {
  /** The link is `/#code=` and this code. It opens one session. */
  code: string,
  expires_at: time,
};
/** A code that opens one session of a browser. */
export interface SessionCodeView extends ObjectOf<typeof sessionCodeMembers> {}
export const sessionCodeView: Shape<SessionCodeView> = object(sessionCodeMembers, 'SessionCode');

const usageMembers = {
  owner: string,
  /** Use in the current period. Absent without a quota: nothing is counted then. */
  period: optional(
    object({
      name: openOneOf('day', 'month'),
      resets_at: time,
      turns: number,
      /** Input and output tokens. */
      tokens: number,
      /** Calls of models without a price are not counted. */
      cost_usd: number,
    }),
  ),
  /** Existing chats, without those of subagents. */
  chats: number,
  /** Turns that run or wait for a tool, without those of subagents. */
  concurrent_turns: number,
  /** Limits of the owner. An absent member is unlimited. */
  limits: object({
    turns: optional(number),
    tokens: optional(number),
    cost_usd: optional(number),
    chats: optional(number),
    concurrent_turns: optional(number),
  }),
};
/** Use of an owner's quotas. */
export interface UsageView extends ObjectOf<typeof usageMembers> {}
export const usageView: Shape<UsageView> = object(usageMembers, 'Usage');

const tokenMembers = {
  id: string,
  owner: string,
  name: string,
  scopes: shownScopes,
  created_at: time,
  expires_at: optional(time),
  revoked_at: optional(time),
};
/** An access token, without its text. */
export interface TokenView extends ObjectOf<typeof tokenMembers> {}
const tokenView: Shape<TokenView> = object(tokenMembers, 'Token');

const tokenListMembers = { tokens: array(tokenView) };
/** All access tokens, oldest first. */
export interface TokenListView extends ObjectOf<typeof tokenListMembers> {}
export const tokenListView: Shape<TokenListView> = object(tokenListMembers, 'TokenList');

const name = limited({ min: 1, max: 200 });
const createTokenMembers = {
  name,
  /** @default a new owner */
  owner: optional(name),
  /** @default ['chats'] */
  scopes: optional(array(oneOf(...TOKEN_SCOPES), { min: 1 })),
  /** @default the token does not expire */
  expires_in_seconds: optional(bounded('integer', { min: 1, max: 3_153_600_000 })),
};
/** A new access token. */
export interface CreateTokenBody extends ObjectOf<typeof createTokenMembers> {}
export const createTokenBody: Shape<CreateTokenBody> = object(createTokenMembers, 'CreateToken');

const issuedTokenMembers = { ...tokenMembers, token: string };
/** A new access token with its text, which is sent only here. */
export interface IssuedTokenView extends ObjectOf<typeof issuedTokenMembers> {}
export const issuedTokenView: Shape<IssuedTokenView> = object(issuedTokenMembers, 'IssuedToken');
