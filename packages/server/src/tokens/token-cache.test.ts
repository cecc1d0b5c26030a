import { expect, it } from 'vitest';
import { describeOnPostgres } from '../../../../test/describe-on-both-stores.ts';
import type { AccessToken } from '../contract/access-tokens.ts';
import { authenticate, issueToken } from './access-token.ts';
import { TOKEN_CHANNEL, TokenCache } from './token-cache.ts';
import { revokeToken } from './token-rows.ts';

const TOKEN: AccessToken = { id: 'id', owner: 'owner', name: 'name', scopes: ['chats'], createdAt: 1 };

it('keeps a found token for one second, and an unknown one never', async () => {
  const clock = { ms: 0 };
  const cache = new TokenCache(() => clock.ms);
  const read: string[] = [];
  const find = (hash: string) =>
    cache.find(hash, async () => {
      read.push(`${hash} at ${clock.ms}`);
      return hash === 'known' ? TOKEN : undefined;
    });
  for (const ms of [0, 999, 1_000]) {
    clock.ms = ms;
    expect([await find('known'), await find('unknown')]).toEqual([TOKEN, undefined]);
  }
  expect(read).toEqual(['known at 0', 'unknown at 0', 'unknown at 999', 'known at 1000', 'unknown at 1000']);
});

it('keeps no token whose row was read before a revocation', async () => {
  const cache = new TokenCache(() => 0);
  await cache.find('known', async () => {
    cache.clear();
    return TOKEN;
  });
  expect(await cache.find('known', () => Promise.resolve(undefined))).toBeUndefined();
});

it('keeps a bounded number of tokens', async () => {
  const cache = new TokenCache(() => 0);
  let reads = 0;
  const find = (hash: string) =>
    cache.find(hash, async () => {
      reads += 1;
      return TOKEN;
    });
  for (let at = 0; at <= 1_000; at += 1) await find(String(at));
  await find('1000');
  await find('0');
  expect(reads).toBe(1_002);
});

describeOnPostgres('a cached token', ({ freshUrl, open }) => {
  it('is refused at once after another process has revoked it', async () => {
    const url = await freshUrl();
    const [store, other] = [await open(url), await open(url)];
    const { id, token } = await issueToken(store, { name: 'one' });
    const header = `Bearer ${token}`;
    expect((await authenticate({ store }, header)).id).toBe(id);
    const told = Promise.withResolvers<void>();
    store.notifications.subscribe(TOKEN_CHANNEL, () => told.resolve());
    await revokeToken(other, id, Date.now());
    await told.promise;
    await expect(authenticate({ store }, header)).rejects.toMatchObject({ code: 'unauthorized' });
  });
});
