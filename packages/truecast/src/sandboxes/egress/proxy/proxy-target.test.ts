import { describe, expect, it } from 'vitest';
import { readProxyTarget } from './proxy-target.ts';

describe('readProxyTarget', () => {
  it('reads a tunnel in the canonical form of its host', () => {
    expect(readProxyTarget('CONNECT', 'API.Example.com.:443')).toEqual({
      type: 'tunnel',
      host: 'api.example.com',
      port: 443,
    });
    expect(readProxyTarget('CONNECT', '[::1]:8080')).toEqual({ type: 'tunnel', host: '::1', port: 8080 });
    expect(readProxyTarget('CONNECT', '2130706433:80')).toEqual({
      type: 'tunnel',
      host: '127.0.0.1',
      port: 80,
    });
  });

  it('reads a request for an http: URL, as it was written behind the host', () => {
    expect(readProxyTarget('GET', 'http://Example.com/a/../b%2f?x=//y')).toEqual({
      type: 'forward',
      host: 'example.com',
      port: 80,
      path: '/a/../b%2f?x=//y',
    });
    expect(readProxyTarget('GET', 'HTTP://example.com:8080?q')).toEqual({
      type: 'forward',
      host: 'example.com',
      port: 8080,
      path: '/?q',
    });
  });

  it.each([
    ['CONNECT', 'example.com'],
    ['CONNECT', 'example.com:0'],
    ['CONNECT', 'example.com:443@evil.test'],
    ['CONNECT', 'example.com:443@evil.test:443'],
    ['CONNECT', 'user@example.com:443'],
    ['CONNECT', 'example.com:443/x'],
    ['CONNECT', 'example.com:4 43'],
    ['CONNECT', 'exam%70le.com:443'],
    ['CONNECT', '[::1%25eth0]:443'],
    ['CONNECT', '::1:443'],
    ['CONNECT', ':443'],
    ['GET', 'http://user:pass@example.com/'],
    ['GET', 'http://example.com:80@evil.test/'],
    ['GET', 'http://example.com\\@evil.test/'],
    ['GET', 'https://example.com/'],
    ['GET', 'ftp://example.com/'],
    ['GET', '/etc/passwd'],
    ['GET', '*'],
    ['GET', 'http:///x'],
    ['GET', 'http://example.com/#fragment'],
    ['TRACE', 'http://example.com/'],
  ])('takes no %s %s', (method, target) => {
    expect(readProxyTarget(method, target)).toMatchObject({ type: 'invalid' });
  });
});
