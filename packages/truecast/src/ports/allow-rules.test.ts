import { describe, expect, it } from 'vitest';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { isListed, parseAllowRules } from './allow-rules.ts';

function lists(pattern: string, host: string, port: number): boolean {
  return isListed(parseAllowRules([pattern]), host, port);
}

describe('a listed pattern', () => {
  it('is a host on the ports of HTTP and HTTPS, in any case, and nothing below it', () => {
    expect(lists('API.Example.com', 'api.example.com', 443)).toBe(true);
    expect(lists('api.example.com', 'api.example.com', 80)).toBe(true);
    expect(lists('api.example.com', 'api.example.com', 8443)).toBe(false);
    expect(lists('api.example.com', 'x.api.example.com', 443)).toBe(false);
    expect(lists('api.example.com', 'api.example.com.evil.test', 443)).toBe(false);
  });

  it('is a suffix, which does not list the name itself nor one that merely ends alike', () => {
    expect(lists('*.example.com', 'a.b.example.com', 443)).toBe(true);
    expect(lists('*.example.com', 'example.com', 443)).toBe(false);
    expect(lists('*.example.com', 'badexample.com', 443)).toBe(false);
  });

  it('names one port where it names any', () => {
    expect(lists('example.com:8443', 'example.com', 8443)).toBe(true);
    expect(lists('example.com:8443', 'example.com', 443)).toBe(false);
    expect(lists('*.example.com:22', 'a.example.com', 22)).toBe(true);
  });

  it('is an IP address in any spelling', () => {
    expect(lists('10.0.0.1:5432', '10.0.0.1', 5432)).toBe(true);
    expect(lists('[2001:DB8:0::1]:80', '2001:db8::1', 80)).toBe(true);
    expect(lists('2001:db8::1', '2001:db8::1', 443)).toBe(true);
  });

  it('is an internationalized name', () => {
    expect(lists('bücher.example', 'xn--bcher-kva.example', 443)).toBe(true);
  });
});

describe('egress.allow', () => {
  it.each([
    [[], "egress: 'none'"],
    ['example.com', 'an array of hosts'],
    [['https://example.com/x'], 'list its host alone, `example.com`'],
    [['example.com:0'], 'from 1 to 65535'],
    [['example.com:65536'], 'from 1 to 65535'],
    [['10.0.0.0/8'], 'Paths and address ranges'],
    [['*'], "egress: 'host'"],
    [['*.10.0.0.1'], 'no subdomains'],
    [['user@example.com'], 'Write `host`'],
    [['a..b'], 'Write `host`'],
    [['*.*.example.com'], 'Write `host`'],
    [[''], 'Write `host`'],
    [[7], 'Write `host`'],
    [['localhost'], 'single ports from 1024 up'],
    [['127.0.0.1:80'], 'single ports from 1024 up'],
  ])('refuses %j, and says what to write', (allow, advice) => {
    expect(() => parseAllowRules(allow)).toThrow(UsageError);
    expect(() => parseAllowRules(allow)).toThrow(advice);
  });
});
