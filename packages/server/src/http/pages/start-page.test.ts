/** The page at `/`: its policy, and its script with the browser's objects replaced. */
import { createHash } from 'node:crypto';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { START_PAGE_POLICY, startPage } from './start-page.ts';

const script = /<script>([\s\S]*)<\/script>/u.exec(startPage())?.[1] ?? '';

interface Element {
  value: string;
  textContent: string;
  addEventListener(): void;
}

function open(hash: string): { elements: Record<string, Element>; visited: string[]; asked: unknown[] } {
  const elements: Record<string, Element> = {};
  const visited: string[] = [];
  const asked: unknown[] = [];
  const stored = new Map<string, string>();
  runInNewContext(script, {
    URLSearchParams,
    location: { hash, pathname: '/', origin: 'http://127.0.0.1:4747' },
    history: { replaceState: (_state: null, _title: string, path: string) => visited.push(path) },
    sessionStorage: {
      getItem: (key: string) => stored.get(key) ?? null,
      setItem: (key: string, value: string) => stored.set(key, value),
    },
    document: {
      getElementById: (id: string) =>
        (elements[id] ??= { value: '', textContent: '', addEventListener: () => undefined }),
    },
    fetch: (url: string, options: unknown) => {
      asked.push(url, options);
      return Promise.resolve({ ok: true });
    },
  });
  return { elements, visited, asked };
}

it('lets only its own script run', () => {
  const hash = createHash('sha256').update(script).digest('base64');
  expect(START_PAGE_POLICY).toContain(`script-src 'sha256-${hash}';`);
  expect(START_PAGE_POLICY).not.toContain("script-src 'unsafe");
});

it('moves the token out of the address, checks it, and writes it into the curl line', () => {
  const { elements, visited, asked } = open('#token=tc_abc-1');
  expect(visited).toEqual(['/']);
  expect(asked).toEqual(['/api/models', { headers: { authorization: 'Bearer tc_abc-1' } }]);
  expect(elements['curl']?.textContent).toBe(
    `curl http://127.0.0.1:4747/api/chats -H 'authorization: Bearer tc_abc-1' \\\n  -H 'content-type: application/json' -d '{"content":"Hello"}'`,
  );
});

it.each([[''], [`#token=x'; rm -rf ~ '`]])('sends nothing and shows a placeholder for %j', (hash) => {
  const { elements, asked } = open(hash);
  expect(asked).toEqual([]);
  expect(elements['curl']?.textContent).toContain("'authorization: Bearer TOKEN'");
});
