import { array, assert, constantFrom, property } from 'fast-check';
import { expect, it } from 'vitest';
import { anyText } from '../../../../test/any-text.ts';
import { parseAllowRules, canonicalHost, formatAuthority, parseAuthority } from './allow-rules.ts';
import { permitTarget } from '../sandboxes/egress/proxy/permit-target.ts';
import { readProxyTarget } from '../sandboxes/egress/proxy/proxy-target.ts';

const PIECES = [
  'ok.example',
  'evil.test',
  'OK.Example',
  '.',
  ':',
  '@',
  '443',
  '80',
  '#',
  '?',
  '/',
  '\\',
  '%2e',
  '%00',
  ' ',
  '\t',
  '\r\n',
  '[',
  ']',
  '::1',
  '127.1',
  '0x7f000001',
  '2130706433',
  '127.0.0.1',
  'ü',
  '。',
  '\u00ad',
  'http://',
  '*',
];
const hostile = array(constantFrom(...PIECES), { maxLength: 6 });

it('canonical hosts are plain names or addresses, and stay what they are', () => {
  assert(
    property(anyText({ maxLength: 40 }), hostile, (any, pieces) => {
      for (const text of [any, pieces.join('')]) {
        const host = canonicalHost(text);
        if (host === undefined) continue;
        expect(host).toMatch(/^(?:[a-z0-9_.-]+|[0-9a-f:.]+)$/);
        expect(host.startsWith('.') || host.endsWith('.')).toBe(false);
        expect(parseAuthority(formatAuthority(host, 7))).toEqual({ host, port: 7 });
      }
    }),
  );
});

it('a target that is permitted is one that a WHATWG parser takes for the listed host too', async () => {
  const rules = parseAllowRules(['ok.example']);
  const resolve = () => Promise.resolve([{ address: '93.184.216.34', family: 4 }]);
  let permitted = 0;
  const check = async (method: string, text: string): Promise<void> => {
    const target = readProxyTarget(method, text);
    if (target.type === 'invalid') return;
    if ((await permitTarget(rules, target, resolve)).type !== 'permit') return;
    permitted += 1;
    const url = URL.parse(method === 'CONNECT' ? `http://${text}` : text);
    expect(url?.hostname.replace(/\.$/, '')).toBe('ok.example');
    expect(url?.username).toBe('');
    expect(target.host).toBe('ok.example');
    expect([80, 443]).toContain(target.port);
  };
  const all: (readonly [string, string])[] = [
    ['CONNECT', 'ok.example:443'],
    ['GET', 'http://ok.example/'],
  ];
  assert(
    property(hostile, (pieces) => {
      all.push(
        ['CONNECT', pieces.join('')],
        ['CONNECT', `ok.example${pieces.join('')}`],
        ['GET', `http://${pieces.join('')}`],
        ['GET', `http://ok.example${pieces.join('')}`],
      );
    }),
    { numRuns: 500 },
  );
  for (const [method, text] of all) await check(method, text);
  expect(permitted).toBeGreaterThan(1);
});
