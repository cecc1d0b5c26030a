import { array, assert, constantFrom, property } from 'fast-check';
import { expect, it } from 'vitest';
import { upstreamRequest } from './proxy-request.ts';

it('never leaves the host and the base path, whatever the target', () => {
  const part = constantFrom(
    '/',
    '.',
    '..',
    '%2e',
    '%2F',
    '\\',
    '@',
    ':',
    '?',
    '#',
    'a',
    '//',
    'http://evil.example',
    '%5c',
    '%25',
    '2e',
  );
  assert(
    property(array(part, { maxLength: 8 }), (parts) => {
      const request = upstreamRequest(
        { method: 'GET', target: `/${parts.join('')}`, rawHeaders: [] },
        { upstreamUrl: 'https://model.example/base/', headers: {}, environment: () => ({}), secretNames: [] },
      );
      if (request.type === 'refuse') return;
      expect(request.url.origin).toBe('https://model.example');
      expect(request.url.pathname.startsWith('/base/')).toBe(true);
      // The path must stay below the base URL even if a server decodes it once before resolving it.
      const decoded = request.url.pathname
        .replaceAll(/%2e/gi, '.')
        .replaceAll(/%2f/gi, '/')
        .replaceAll(/%5c/gi, '/');
      expect(new URL(`https://model.example${decoded}`).pathname.startsWith('/base/')).toBe(true);
    }),
  );
});
