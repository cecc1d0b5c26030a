/** Verification of JSON Web Tokens of an OpenID Connect provider, with its cached key set. */
import type * as Jose from 'jose';
import { RequestRefusedError } from '@truecast/core/internal/errors/request-refused-error';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { TOKEN_SCOPES, type AccessToken, type TokenScope } from '../contract/access-tokens.ts';
import { proxiedFetch } from '@truecast/host/internal/proxy/proxied-fetch';
import type { VerifyJwt } from '../tokens/access-token.ts';
import type { JwtAlgorithm, OidcSettings } from '../contract/oidc-settings.ts';

/** Times of the cached key set. Tests shorten them. */
export interface KeySetTimes {
  /** Time after which the keys are read again. @default 600_000 */
  readonly maxAgeMs?: number;
  /** Minimum time between two reads because of an unknown key. @default 30_000 */
  readonly cooldownMs?: number;
}

interface LoadedKeys {
  /** The library, of 46 files. A server without a provider never loads it. */
  readonly jose: typeof Jose;
  readonly keys: ReturnType<typeof Jose.createRemoteJWKSet>;
}

const ALGORITHMS: readonly JwtAlgorithm[] = ['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519'];
const DEFAULT_TOLERANCE_MS = 5_000;
const TIMEOUT_MS = 5_000;
const MAX_OWNER_CHARS = 255;
/** Prefix of owners, so that the provider cannot name owners of other tokens. */
const OWNER_PREFIX = 'oidc:';

/**
 * Creates the verifier. The library is loaded and the keys are read at the first token.
 *
 * @throws UsageError if the address of the keys is not encrypted
 */
export function createJwtVerifier(
  settings: OidcSettings,
  { maxAgeMs = 600_000, cooldownMs = 30_000 }: KeySetTimes = {},
): VerifyJwt {
  const address = keysUrl(settings.jwksUrl);
  let loaded: Promise<LoadedKeys> | undefined;
  const load = async (): Promise<LoadedKeys> => {
    const jose = await import('jose');
    const keys = jose.createRemoteJWKSet(address, {
      timeoutDuration: TIMEOUT_MS,
      cacheMaxAge: maxAgeMs,
      cooldownDuration: cooldownMs,
      [jose.customFetch]: proxiedFetch,
    });
    return { jose, keys };
  };
  const { issuer, audience, ownerClaim = 'sub', algorithms = ALGORITHMS } = settings;
  const rules = {
    issuer,
    audience,
    algorithms: [...algorithms],
    // The library takes seconds.
    clockTolerance: (settings.clockToleranceMs ?? DEFAULT_TOLERANCE_MS) / 1_000,
    requiredClaims: ['exp', ownerClaim],
  };
  return async (jwt) => {
    const { jose, keys } = await (loaded ??= load());
    try {
      const { payload } = await jose.jwtVerify(jwt, keys, rules);
      return toAccessToken(payload, { ...settings, ownerClaim });
    } catch (error) {
      throw explain(error, jose);
    }
  };
}

function toAccessToken(
  payload: Jose.JWTPayload,
  { ownerClaim, scopesClaim }: Pick<OidcSettings, 'scopesClaim'> & { readonly ownerClaim: string },
): AccessToken {
  const name = payload[ownerClaim];
  if (typeof name !== 'string' || name === '' || name.length > MAX_OWNER_CHARS) {
    throw unauthorized(`its claim \`${ownerClaim}\` is not a string of 1 to ${MAX_OWNER_CHARS} characters`);
  }
  const owner = `${OWNER_PREFIX}${name}`;
  const { iat = 0, exp = 0 } = payload;
  return {
    // All tokens of an owner share the rate limits.
    id: owner,
    owner,
    name: 'oidc',
    scopes: scopesClaim === undefined ? ['chats'] : scopesOf(payload[scopesClaim]),
    createdAt: iat * 1_000,
    expiresAt: exp * 1_000,
  };
}

function scopesOf(claim: unknown): readonly TokenScope[] {
  const named: readonly unknown[] = typeof claim === 'string' ? claim.split(' ') : [claim].flat();
  return TOKEN_SCOPES.filter((scope) => named.includes(scope));
}

/** Maps each error of a token to a refusal. Other errors are faults of the provider. */
function explain(error: unknown, { errors }: typeof Jose): unknown {
  if (RequestRefusedError.isInstance(error)) return error;
  if (error instanceof errors.JWTExpired) return unauthorized('it expired');
  if (error instanceof errors.JWTClaimValidationFailed) {
    return unauthorized(`its claim \`${error.claim}\` is missing or wrong`);
  }
  if (error instanceof errors.JWKSNoMatchingKey) return unauthorized('its key is not in the key set');
  if (error instanceof errors.JOSEAlgNotAllowed) return unauthorized('its algorithm is not allowed');
  if (error instanceof errors.JWSSignatureVerificationFailed) return unauthorized('its signature is wrong');
  if (OF_TOKEN.some((kind) => error instanceof errors[kind])) return unauthorized('it is malformed');
  return new RequestRefusedError(
    'The keys of the identity provider cannot be read. Send the request again later.',
    { code: 'identity-unavailable', cause: error, retryAfterSeconds: 5 },
  );
}

const OF_TOKEN = ['JWTInvalid', 'JWSInvalid', 'JWKSMultipleMatchingKeys', 'JOSENotSupported'] as const;

function unauthorized(why: string): RequestRefusedError {
  return new RequestRefusedError(
    `The token of the identity provider is not valid: ${why}. Sign in again, or use a token of \`truecast token create\`.`,
    { code: 'unauthorized' },
  );
}

function keysUrl(text: string): URL {
  const url = URL.parse(text);
  const isLoopback = url !== null && ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  if (url !== null && (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback))) return url;
  throw new UsageError(
    `Expected \`oidc.jwksUrl\` to be an https address, or http on loopback, got \`${text}\`.`,
  );
}
