/** Wire format of the caller and of access tokens. Types only: the server has the Zod schemas. */

/** A permission of an access token. */
export type ScopeName = 'chats' | 'project' | 'metrics' | 'admin';

/** The caller, and the server's limits and features. */
export interface MeView {
  readonly owner: string;
  readonly token_name: string;
  readonly scopes: readonly ScopeName[];
  /** Absent if the token does not expire. */
  readonly expires_at?: string;
  readonly features: {
    readonly workspace: boolean;
    readonly agents: boolean;
    readonly subagents: boolean;
    readonly web_search: boolean;
  };
  /** Limits per token. */
  readonly limits: {
    readonly requests_per_minute: number;
    readonly concurrent_requests: number;
    readonly open_streams: number;
  };
}

/** An access token, without its text. */
export interface TokenView {
  readonly id: string;
  readonly owner: string;
  readonly name: string;
  readonly scopes: readonly ScopeName[];
  readonly created_at: string;
  readonly expires_at?: string;
  readonly revoked_at?: string;
}

/** All access tokens, oldest first. */
export interface TokenListView {
  readonly tokens: readonly TokenView[];
}

/** A new access token. */
export interface CreateTokenBody {
  readonly name: string;
  /** @default a new owner */
  readonly owner?: string;
  /** @default ['chats'] */
  readonly scopes?: readonly ScopeName[];
  /** @default the token does not expire */
  readonly expires_in_seconds?: number;
}

/** A new access token with its text, which is sent only here. */
export interface IssuedTokenView extends TokenView {
  readonly token: string;
}
