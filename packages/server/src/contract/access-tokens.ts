/** Access tokens: the scopes, and the fields that are stored with a token. Pure. */
import type { TokenScope } from '@truecast/core/internal/kit/token-scopes';

export { TOKEN_SCOPES } from '@truecast/core/internal/kit/token-scopes';
export type { TokenScope };

/** A token in a list. */
export interface AccessToken {
  readonly id: string;
  /** Owner of the chats that the token opens. */
  readonly owner: string;
  readonly name: string;
  readonly scopes: readonly TokenScope[];
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** Milliseconds since 1970. Absent if the token does not expire. */
  readonly expiresAt?: number;
  readonly revokedAt?: number;
}

/** The owner, name, scopes and lifetime of a new token. */
export interface NewToken {
  readonly name: string;
  /** @default a new owner without chats */
  readonly owner?: string;
  /**
   * The token has only these scopes. A token with `['metrics']` opens no chat. @default ['chats']
   */
  readonly scopes?: readonly TokenScope[];
  /** Lifetime in milliseconds. @default the token does not expire */
  readonly expiresInMs?: number;
}

/** A new token with its text, which is returned once and never stored. */
export interface IssuedToken extends AccessToken {
  readonly token: string;
}
