import { expect, it } from 'vitest';
import { checkProxies } from './check-proxies.ts';

it('shows which proxy is used for what, and no login', () => {
  const env = { HTTPS_PROXY: 'http://ann:pass@proxy.test:3128', NO_PROXY: '.corp.test' };
  expect(checkProxies(env)).toEqual({
    works: true,
    detail:
      'https:// by http://proxy.test:3128 (HTTPS_PROXY, with a login), http:// directly; this machine directly; NO_PROXY: .corp.test',
  });
});

it('names an address that is not one of a proxy, and is silent without one', () => {
  expect(checkProxies({ HTTP_PROXY: 'socks5://proxy.test' })).toMatchObject({ works: false });
  expect(checkProxies({ NO_PROXY: '*' })).toBeUndefined();
});
