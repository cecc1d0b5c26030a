/** Owns what is known of a bearer token. Pure. */

/** A token as it is listed. */
export interface AccessToken {
  readonly id: string;
  /** Whose chats it opens. */
  readonly owner: string;
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly revokedAt?: number;
}

/** Whose token, and what it is called in lists. */
export interface NewToken {
  readonly name: string;
  /** @default a new owner, who sees nobody else's chats */
  readonly owner?: string;
}

/** A token that was made; its text is told once and stored nowhere. */
export interface IssuedToken extends AccessToken {
  readonly token: string;
}
