import { expect, it } from 'vitest';
import { proxyAuthorization, proxyFor } from './environment-proxy.ts';

const PROXY = 'http://proxy.test:3128';
const used = (target: string, env: Readonly<Record<string, string>>): string | undefined =>
  proxyFor(new URL(target), env)?.url.origin;

it('takes the variable of the protocol, in lower case first, and an address without a protocol', () => {
  const env = { HTTPS_PROXY: 'proxy.test:3128', HTTP_PROXY: 'http://plain.test:8080' };
  expect(used('https://model.test/v1', env)).toBe(PROXY);
  expect(used('http://model.test/v1', env)).toBe('http://plain.test:8080');
  expect(used('https://model.test', { ...env, https_proxy: 'https://lower.test' })).toBe(
    'https://lower.test',
  );
  expect(used('https://model.test', { ...env, https_proxy: ' ' })).toBe(PROXY);
  expect(used('https://model.test', { HTTP_PROXY: PROXY, ALL_PROXY: PROXY })).toBeUndefined();
});

it.each([
  'https://localhost:1234',
  'https://api.localhost',
  'https://127.0.0.1',
  'https://127.8.9.1',
  'https://0.0.0.0',
  'https://[::1]:8080',
])('never proxies this machine: %s', (target) => {
  expect(used(target, { HTTPS_PROXY: PROXY })).toBeUndefined();
});

it.each([
  ['*', 'https://model.test', true],
  ['model.test', 'https://model.test', true],
  ['model.test', 'https://eu.model.test', true],
  ['model.test', 'https://othermodel.test', false],
  ['.model.test', 'https://eu.model.test', true],
  ['*.model.test', 'https://eu.model.test', true],
  ['MODEL.test', 'https://model.TEST.', true],
  ['other.test, model.test', 'https://model.test', true],
  ['other.test model.test', 'https://model.test', true],
  ['model.test:8443', 'https://model.test', false],
  ['model.test:443', 'https://model.test', true],
  ['10.1.2.3', 'https://10.1.2.3', true],
  ['10.0.0.0/8', 'https://10.1.2.3', true],
  ['10.0.0.0/8', 'https://11.1.2.3', false],
  ['10.0.0.0/99', 'https://10.1.2.3', false],
  ['[fd00::1]:443', 'https://[fd00::1]', true],
  ['fd00::/8', 'https://[fd12::1]', true],
  ['0.0.1', 'https://10.0.0.1', false],
  [',', 'https://model.test', false],
])('NO_PROXY %j for %s: %s', (list, target, isDirect) => {
  expect(used(target, { HTTPS_PROXY: PROXY, NO_PROXY: list }) === undefined).toBe(isDirect);
  expect(used(target, { HTTPS_PROXY: PROXY, no_proxy: list, NO_PROXY: 'else' }) === undefined).toBe(isDirect);
});

it('decodes a login for the proxy', () => {
  const login = proxyAuthorization({ url: new URL('http://ann:p%40ss:word@proxy.test') });
  expect(login).toBe(`Basic ${Buffer.from('ann:p@ss:word').toString('base64')}`);
  expect(proxyAuthorization({ url: new URL(PROXY) })).toBeUndefined();
  expect(proxyAuthorization({ url: new URL('http://ann:100%25%@proxy.test') })).toMatch(/^Basic /u);
});

it.each([
  ['socks5://ann:secret-login@proxy.test', 'got the protocol `socks5:`'],
  ['http://ann:secret-login@', 'got another value'],
])('refuses %s without its login', (value, got) => {
  const read = (): unknown => proxyFor(new URL('https://model.test'), { HTTPS_PROXY: value });
  expect(read).toThrow(got);
  expect(read).not.toThrow('secret-login');
});
