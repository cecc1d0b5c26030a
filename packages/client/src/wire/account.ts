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
  readonly server_version: string;
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

/** Use of an owner's quotas. */
export interface UsageView {
  readonly owner: string;
  /** Use in the current period. Absent without a quota: nothing is counted then. */
  readonly period?: {
    readonly name: 'day' | 'month';
    readonly resets_at: string;
    readonly turns: number;
    /** Input and output tokens. */
    readonly tokens: number;
    /** Calls of models without a price are not counted. */
    readonly cost_usd: number;
  };
  /** Existing chats, without those of subagents. */
  readonly chats: number;
  /** Turns that run or wait for a tool, without those of subagents. */
  readonly concurrent_turns: number;
  /** Limits of the owner. An absent member is unlimited. */
  readonly limits: {
    readonly turns?: number;
    readonly tokens?: number;
    readonly cost_usd?: number;
    readonly chats?: number;
    readonly concurrent_turns?: number;
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
