/** Tokens of an identity provider, with a real key set over HTTP and real signatures. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  exportJWK,
  generateKeyPair,
  SignJWT,
  UnsecuredJWT,
  type CryptoKey,
  type GenerateKeyPairResult,
} from 'jose';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import type { OidcSettings } from '../contract/oidc-settings.ts';
import { startServer, type TestServer } from './test-server.ts';
import { createJwtVerifier } from './verify-jwt.ts';

const ISSUER = 'https://login.example';
const AUDIENCE = 'truecast';

let keySet: { keys: unknown[] };
let reads = 0;
let isDown = false;
let provider: Server;
let server: TestServer;
let settings: OidcSettings;
const keys = new Map<string, GenerateKeyPairResult>();

/** Creates a key pair. The provider publishes its public key. */
async function publish(kid: string, alg = 'RS256'): Promise<void> {
  const pair = await generateKeyPair(alg, { extractable: true });
  keys.set(kid, pair);
  keySet.keys.push({ ...(await exportJWK(pair.publicKey)), kid, alg, use: 'sig' });
}

beforeAll(async () => {
  keySet = { keys: [] };
  await publish('first');
  provider = createServer((_request, response) => {
    reads += 1;
    response.writeHead(isDown ? 500 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(keySet));
  });
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
  const { port } = provider.address() as AddressInfo;
  settings = { issuer: ISSUER, audience: AUDIENCE, jwksUrl: `http://127.0.0.1:${port}/keys` };
  server = await startServer({ verifyJwt: createJwtVerifier(settings, { cooldownMs: 0 }) });
});
afterAll(async () => {
  await server.close();
  provider.close();
});

interface TokenOptions {
  readonly kid?: string;
  readonly alg?: string;
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly sub?: string;
  readonly issuer?: string;
  readonly audience?: string;
  readonly expires?: string;
  readonly key?: CryptoKey | Uint8Array;
}

function tokenOf(options: TokenOptions = {}): Promise<string> {
  const { kid = 'first', alg = 'RS256', sub = 'anna', issuer = ISSUER, audience = AUDIENCE } = options;
  const jwt = new SignJWT({ ...options.claims })
    .setProtectedHeader({ alg, kid })
    .setSubject(sub)
    .setIssuer(issuer)
    .setAudience(audience)
    .setIssuedAt()
    .setExpirationTime(options.expires ?? '5m');
  return jwt.sign(options.key ?? keys.get(kid)!.privateKey);
}

const list = (token: string) => server.ask('GET', '/api/chats', { token });

it('opens the chats of the owner in the claim, and of no other', async () => {
  const token = await tokenOf();
  const made = await server.ask('POST', '/api/chats', { token, body: { content: 'x' } });
  expect(made.status).toBe(201);
  expect((await list(token)).json.chats).toHaveLength(1);
  expect((await list(await tokenOf({ sub: 'ben' }))).json.chats).toEqual([]);
  const [chat] = await server.store.db.selectFrom('chats').select('owner').execute();
  expect(chat?.owner).toBe('oidc:anna');
  expect((await server.ask('GET', '/metrics', { token })).status).toBe(404);
  expect((await list(server.token)).status).toBe(200);
});

const WRONG: readonly (readonly [string, () => Promise<string> | string, string])[] = [
  ['without a signature', () => unsigned(), 'algorithm|malformed'],
  ['signed with a shared secret', () => tokenOf({ alg: 'HS256', key: new Uint8Array(32) }), 'algorithm'],
  ['of another issuer', () => tokenOf({ issuer: 'https://evil.example' }), 'claim `iss`'],
  ['for another audience', () => tokenOf({ audience: 'other' }), 'claim `aud`'],
  ['that expired', () => tokenOf({ expires: '-6s' }), 'expired'],
  ['that is not valid yet', () => tokenOf({ claims: { nbf: Date.now() / 1_000 + 60 } }), 'claim `nbf`'],
  ['with an empty owner', () => tokenOf({ sub: '' }), 'claim `sub`'],
  ['with a signature of another key', () => forged(), 'signature'],
  ['with an unknown key', () => tokenOf({ kid: 'none', key: keys.get('first')!.privateKey }), 'key set'],
  ['that is no token', () => 'a.b.c', 'malformed'],
];

it.each(WRONG)('refuses a token %s', async (_name, make, reason) => {
  const { status, json } = await list(await make());
  expect([status, json.code]).toEqual([401, 'unauthorized']);
  expect(json.detail).toMatch(new RegExp(reason, 'u'));
});

it('accepts a token within the tolerance of the clocks', async () => {
  expect((await list(await tokenOf({ expires: '-2s' }))).status).toBe(200);
});

it('reads the keys once, again for a new key, and refuses a removed one', async () => {
  await list(await tokenOf());
  const before = reads;
  for (let time = 0; time < 5; time += 1) expect((await list(await tokenOf())).status).toBe(200);
  expect(reads).toBe(before);
  await publish('second', 'ES256');
  keySet.keys.splice(0, 1);
  expect((await list(await tokenOf({ kid: 'second', alg: 'ES256' }))).status).toBe(200);
  expect(reads).toBe(before + 1);
  expect((await list(await tokenOf())).json.detail).toContain('key set');
});

it('grants exactly the scopes of the claim, if one is configured', async () => {
  const verify = createJwtVerifier({ ...settings, scopesClaim: 'scope' });
  const signed = (claims: Readonly<Record<string, unknown>>) =>
    tokenOf({ kid: 'second', alg: 'ES256', claims });
  expect((await verify(await signed({ scope: 'openid metrics chats' }))).scopes).toEqual([
    'chats',
    'metrics',
  ]);
  expect((await verify(await signed({ scope: ['admin'] }))).scopes).toEqual(['admin']);
  expect((await verify(await signed({}))).scopes).toEqual([]);
});

it('answers 503 while the keys cannot be read, and does not say that the token is wrong', async () => {
  isDown = true;
  const verify = createJwtVerifier(settings);
  const token = await tokenOf({ kid: 'second', alg: 'ES256' });
  await expect(verify(token)).rejects.toMatchObject({ code: 'identity-unavailable' });
  isDown = false;
});

it('requires an encrypted address of the keys', () => {
  const jwksUrl = 'http://login.example/keys';
  expect(() => createJwtVerifier({ ...settings, jwksUrl })).toThrow(UsageError);
});

function unsigned(): string {
  const jwt = new UnsecuredJWT({}).setSubject('anna').setIssuer(ISSUER).setAudience(AUDIENCE);
  return jwt.setExpirationTime('5m').encode();
}

async function forged(): Promise<string> {
  const { privateKey } = await generateKeyPair('RS256');
  return tokenOf({ key: privateKey });
}
