import { expect, it } from 'vitest';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { parseEgress } from './parse-egress.ts';

it('takes the policies by name, and a list of hosts', () => {
  expect(['none', 'host', 'model'].map(parseEgress)).toEqual(['none', 'host', 'model']);
  expect(parseEgress('allow=api.example.com, *.cdn.example,127.0.0.1:8080')).toEqual({
    allow: ['api.example.com', '*.cdn.example', '127.0.0.1:8080'],
  });
});

it.each([
  ['everything', 'none, host, model or allow=HOST,HOST'],
  ['allow=', 'at least one host'],
  ['allow=https://api.example.com/', 'list its host alone, `api.example.com`'],
  ['allow=api.example.com:99999', 'from 1 to 65535'],
])('refuses %s, and says what to write', (text, advice) => {
  expect(() => parseEgress(text)).toThrow(UsageError);
  expect(() => parseEgress(text)).toThrow(advice);
});
