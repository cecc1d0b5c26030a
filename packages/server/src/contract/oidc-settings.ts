/** Settings of an OpenID Connect provider whose access tokens the server accepts. Pure. */

/** Asymmetric signature algorithms. A shared secret or `none` is never accepted. */
export const JWT_ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
] as const;

export type JwtAlgorithm = (typeof JWT_ALGORITHMS)[number];

/** A provider of JSON Web Tokens. */
export interface OidcSettings {
  /** Required value of `iss`. */
  readonly issuer: string;
  /** Required value in `aud`. */
  readonly audience: string;
  /** Address of the provider's JSON Web Key Set: https, or http on loopback. */
  readonly jwksUrl: string;
  /** Claim with the owner's name. Owners get the prefix `oidc:`. @default 'sub' */
  readonly ownerClaim?: string;
  /**
   * Claim with scopes of this server, as text with spaces or a list. @default none: each token has
   * the scope `chats`
   */
  readonly scopesClaim?: string;
  /** @default ['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519'] */
  readonly algorithms?: readonly JwtAlgorithm[];
  /** Accepted difference between the clocks. @default 5000 */
  readonly clockToleranceMs?: number;
}
