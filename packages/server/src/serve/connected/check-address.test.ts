/** Addresses of models that a caller chose: which are allowed, and what is sent to them. */
import { createServer } from 'node:net';
import { once } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';
import type { ResolveName } from 'truecast/internal/sandboxes/egress/proxy/permit-target';
import { checkAddress, type AddressPolicy } from './check-address.ts';

const PUBLIC = '93.184.215.14';
const NAMES: Readonly<Record<string, readonly string[]>> = {
  localhost: ['::1', '127.0.0.1'],
  'models.example': [PUBLIC],
  'inside.example': ['10.1.2.3'],
  'metadata.example': ['169.254.169.254'],
  'both.example': [PUBLIC, '127.0.0.1'],
};
const resolve: ResolveName = (host) => {
  const found = NAMES[host];
  if (found === undefined) return Promise.reject(new RangeError('ENOTFOUND'));
  return Promise.resolve(found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })));
};
const LOCAL: AddressPolicy = { allow: [], hasLoopback: true, resolve };
const REMOTE: AddressPolicy = { allow: [], hasLoopback: false, resolve };

it.each([
  ['https://models.example/v1', LOCAL, 'https://models.example/v1'],
  ['https://models.example/v1/', REMOTE, 'https://models.example/v1'],
  ['https://models.example:8443', REMOTE, 'https://models.example:8443'],
  ['http://127.0.0.1:11434/v1', LOCAL, 'http://127.0.0.1:11434/v1'],
  ['http://[::1]:8080/v1', LOCAL, 'http://[::1]:8080/v1'],
  // Other spellings of this machine.
  ['http://2130706433:8080/v1', LOCAL, 'http://127.0.0.1:8080/v1'],
  ['http://inside.example:8080/v1', { ...REMOTE, allow: ['10.1.2.3:8080'] }, 'http://10.1.2.3:8080/v1'],
  ['http://127.0.0.1:8080/v1', { ...REMOTE, allow: ['localhost:8080'] }, 'http://127.0.0.1:8080/v1'],
  // The public address of a name is not used without a certificate.
  ['http://both.example:8080/v1', LOCAL, 'http://127.0.0.1:8080/v1'],
])('allows %s, and uses a checked address', async (address, policy, url) => {
  expect(await checkAddress(address, policy)).toEqual({ type: 'allowed', url });
});

const NOT_ALLOWED = /is not allowed.*connectedModels\.allow/u;

it.each<[string, AddressPolicy, RegExp]>([
  ['models.example', LOCAL, /Is not a URL/u],
  ['ftp://models.example', LOCAL, /Must begin with/u],
  ['file:///etc/passwd', LOCAL, /Must begin with/u],
  ['https://me:secret@models.example/v1', LOCAL, /must not have a user/iu],
  ['https://models.example/v1?key=1', LOCAL, /must not have a query/iu],
  ['https://models.example/v1#a', LOCAL, /must not have a query/iu],
  ['http://models.example/v1', LOCAL, /needs? `https:/u],
  [`http://${PUBLIC}:8080/v1`, LOCAL, /needs? `https:/u],
  ['http://127.0.0.1:8080/v1', REMOTE, NOT_ALLOWED],
  ['https://127.0.0.1:8080/v1', REMOTE, NOT_ALLOWED],
  ['http://127.0.0.1:22/v1', LOCAL, NOT_ALLOWED],
  ['http://127.0.0.1/v1', LOCAL, NOT_ALLOWED],
  ['http://inside.example:8080/v1', LOCAL, NOT_ALLOWED],
  ['https://inside.example/v1', LOCAL, NOT_ALLOWED],
  ['http://169.254.169.254/latest', LOCAL, NOT_ALLOWED],
  ['http://metadata.example:8080/v1', LOCAL, NOT_ALLOWED],
  ['http://0.0.0.0:8080/v1', LOCAL, NOT_ALLOWED],
  ['http://[::]:8080/v1', LOCAL, NOT_ALLOWED],
  ['http://[::ffff:10.1.2.3]:8080/v1', LOCAL, NOT_ALLOWED],
  ['http://10.1.2.3:8080/v1', { ...LOCAL, allow: ['10.1.2.3:9090'] }, NOT_ALLOWED],
])('refuses %s', async (address, policy, message) => {
  expect(await checkAddress(address, policy)).toEqual({
    type: 'refused',
    message: expect.stringMatching(message),
  });
});

it('says that a name is unknown', async () => {
  expect(await checkAddress('https://nowhere.example', LOCAL)).toEqual({ type: 'unknown-host' });
});

it('uses the address of a name on which a server listens', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const place = server.address();
  const port = typeof place === 'object' ? place?.port : undefined;
  expect(await checkAddress(`http://localhost:${port}/v1`, LOCAL)).toEqual({
    type: 'allowed',
    url: `http://127.0.0.1:${port}/v1`,
  });
});

it('looks a name up once: a later answer for it changes nothing', async () => {
  let lookups = 0;
  const rebinding: ResolveName = () => {
    lookups += 1;
    const address = lookups === 1 ? '127.0.0.1' : '169.254.169.254';
    return Promise.resolve([{ address, family: 4 }]);
  };
  const checked = await checkAddress('http://changing.example:8080/v1', { ...LOCAL, resolve: rebinding });
  expect(checked).toEqual({ type: 'allowed', url: 'http://127.0.0.1:8080/v1' });
  expect(lookups).toBe(1);
});
