/** The console's files: exactly the listed names, and the page for deep links. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openConsole, type ConsoleFiles } from './console-files.ts';

let folder: string;
let files: ConsoleFiles | undefined;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'truecast-console-'));
  mkdirSync(join(folder, 'assets'));
  const page = { name: 'index.html', type: 'text/html; charset=utf-8', has_brotli: false };
  const script = { name: 'assets/a-1.js', type: 'text/javascript; charset=utf-8', has_brotli: true };
  for (const [name, text] of [
    ['index.html', 'page'],
    ['assets/a-1.js', 'script'],
    ['assets/a-1.js.br', 'compressed'],
    ['files.json', JSON.stringify([page, script])],
  ] as const) {
    writeFileSync(join(folder, name), text);
  }
  files = openConsole(folder);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function open(path: string, headers: Readonly<Record<string, string>> = {}): Response | undefined {
  return files?.answer(new Request(`http://127.0.0.1${path}`, { headers }));
}

it('sends a script with its type, for a year, and compressed if the browser accepts that', async () => {
  const plain = open('/assets/a-1.js');
  expect(await plain?.text()).toBe('script');
  expect(plain?.headers.get('cache-control')).toContain('immutable');
  const compressed = open('/assets/a-1.js', { 'accept-encoding': 'gzip, br' });
  expect(compressed?.headers.get('content-encoding')).toBe('br');
  expect(await compressed?.text()).toBe('compressed');
});

it('answers a deep link with the page under its policy, and no address of the API', async () => {
  const page = open('/chats/1', { accept: 'text/html' });
  expect(await page?.text()).toBe('page');
  expect(page?.headers.get('content-security-policy')).toContain("script-src 'self'; style-src 'self'");
  expect(page?.headers.get('content-security-policy')).toContain("trusted-types 'none'");
  for (const path of [
    '/api/chats',
    '/v1/models',
    '/docs/llms.txt',
    '/openapi.json',
    '/metrics',
    '/healthz',
  ]) {
    expect(open(path, { accept: 'text/html' }), path).toBeUndefined();
  }
});

it('has the API reference as a page for browsers alone', async () => {
  expect(await open('/docs', { accept: 'text/html' })?.text()).toBe('page');
  expect(open('/docs', { accept: '*/*' })).toBeUndefined();
});

it.each(['/files.json', '/assets/a-1.js.br', '/../etc/passwd', '/%2e%2e/etc/passwd', '/assets/'])(
  'has no file at %s',
  (path) => {
    expect(open(path)).toBeUndefined();
  },
);

it('is absent without a build', () => {
  expect(openConsole(join(folder, 'assets'))).toBeUndefined();
});
