/** Tests of a model's Markdown: bounds of the parser, and hostile text in Chromium. */
import { expect, it } from 'vitest';
import { z } from 'zod';
import { reply, type ScriptedReply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { MAX_CHARS, parseMarkdown, safeAddress, safeText } from '../../web/src/markdown/parse-markdown.ts';
import { decodeEntity } from '../../web/src/markdown/named-entities.ts';
import { signIn, violationsOf, watchPage } from './console-fixture.ts';
import { packedConsole } from './packed-console.ts';

let replies: ScriptedReply[] = [];
const suite = packedConsole({ script: () => replies.shift() ?? reply.error(401) });

it.each([
  ['a megabyte of backticks', '`'.repeat(1_000_000)],
  ['nested quotes', '>'.repeat(5_000)],
  ['nested lists', `${'- '.repeat(5_000)}a`],
  ['nested numbers', '1. '.repeat(5_000)],
  ['many words in code', '`a` '.repeat(7_000)],
  ['a table with too many cells', `|a|\n|-|\n${'|x|\n'.repeat(7_000)}`],
])('does not convert %s to elements', (_name, text) => {
  expect(parseMarkdown(text)).toBeUndefined();
});

it.each(['[', '[a](', '*a_', 'a**b', '<a', '<!--', '&', '\\', '~a ', '|', '#'])(
  'converts %j, repeated to the maximum length, to few nodes or to none',
  (piece) => {
    const text = piece.repeat(MAX_CHARS / piece.length);
    const nodes = parseMarkdown(text) ?? [];
    expect(JSON.stringify(nodes).length).toBeLessThan(40 * MAX_CHARS);
  },
);

it('opens absolute web and mail addresses only, and shows their real host', () => {
  const hosts = ['https://x.org/p', 'HTTP://EVIL.ORG', 'http://good.org@evil.org/', 'mailto:a@b.c'];
  expect(hosts.map((target) => safeAddress(target)?.host)).toEqual([
    'x.org',
    'evil.org',
    'evil.org',
    'a@b.c',
  ]);
  expect(safeAddress('http://good.org@evil.org/')?.href).toBe('http://evil.org/');
  expect(safeAddress('https://раypal.com')?.host).toMatch(/^xn--/u);
  const refused = [
    'javascript:alert(1)',
    'data:text/html,x',
    '/chats',
    '//evil.org',
    'blob:x',
    'file:///x',
    '',
  ];
  expect(refused.map((target) => safeAddress(target))).toEqual(refused.map(() => undefined));
});

it('names characters that reorder text, and decodes named entities without HTML', () => {
  expect(safeText('a\u202Eb\u2066c')).toBe('a⟨U+202E⟩b⟨U+2066⟩c');
  expect(['amp', 'mdash', 'constructor'].map((name) => decodeEntity(name))).toEqual(['&', '—', undefined]);
});

const HOSTILE = [
  '# Report &amp; plan&hellip;',
  'It is **bold**, `code` and [the docs](https://docs.example/a "t"), see https://bare.example/b.',
  '[click](javascript:alert(1)) [page](/chats) <img src=x onerror=alert(1)> <script>alert(2)</script>',
  '![a map](https://tracker.example/x.png?secret=1)',
  'A name\u202Egpj.exe and [good.example\u202E](https://evil.example)',
  '- one\n- two\n  - inner\n\n3. third\n\n> quoted',
  '### Figures\n\n| name | total |\n|:--|--:|\n| a | 1 |\n| b | **2** |',
  '```ts\nconst a = "<b>";\n```',
  '<https://evil.example/?q=a>',
].join('\n\n');

it.each([
  ['light', 1_440],
  ['dark', 390],
] as const)(
  'shows Markdown as elements, without HTML and without a foreign request, %s',
  async (theme, width) => {
    const { server, browser } = suite;
    // A repetition that comes in larger pieces is not ended.
    const ticks = reply.text('`'.repeat(1_000_000), { chunkChars: 50_000 });
    replies = [reply.text(HOSTILE), ticks, reply.text('>'.repeat(9_000))];
    const { page, faults } = await watchPage(browser, server, {
      colorScheme: theme,
      viewport: { width, height: 900 },
    });
    const headers = {
      authorization: `Bearer ${server.token}`,
      'content-type': 'application/json',
    };
    const send = async (path: string, content: string): Promise<unknown> => {
      const body = JSON.stringify({ content, ...(path === '' && { model: 'local:scripted' }) });
      return (await fetch(`${server.url}/api/chats${path}`, { method: 'POST', headers, body })).json();
    };
    const { chat } = z.object({ chat: z.object({ id: z.string() }) }).parse(await send('', 'Write.'));
    await signIn(page, server, `chats/${chat.id}`);
    const main = page.getByRole('main');
    await main.getByRole('heading', { name: 'Report & plan…', level: 2 }).waitFor();
    await main.getByRole('heading', { name: 'Figures', level: 3 }).waitFor();
    const step = main.locator('[data-step]').first();
    const links = await page.evaluate(
      "[...document.querySelectorAll('[data-step] a')].map((link) => [link.textContent, link.href, link.rel].join(' '))",
    );
    expect(links).toEqual([
      'the docs https://docs.example/a noreferrer noopener',
      'https://bare.example/b https://bare.example/b noreferrer noopener',
      'good.example⟨U+202E⟩ https://evil.example/ noreferrer noopener',
      'https://evil.example/?q=a https://evil.example/?q=a noreferrer noopener',
    ]);
    const text = await step.innerText();
    expect(text).toContain('the docs (docs.example)');
    expect(text).toContain('good.example⟨U+202E⟩ (evil.example)');
    expect(text).toContain('click page <img src=x onerror=alert(1)> <script>alert(2)</script>');
    expect(text).toContain('Image not loaded: a map (tracker.example)');
    expect(text).toContain('A name⟨U+202E⟩gpj.exe');
    expect(await step.locator('img, script').count()).toBe(0);
    expect(await step.getByRole('cell').allInnerTexts()).toEqual(['a', '1', 'b', '2']);
    expect(await step.getByRole('listitem').allInnerTexts()).toContain('third');
    expect(await step.getByRole('group', { name: 'Code, ts' }).innerText()).toBe('const a = "<b>";');
    expect(await violationsOf(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
    for (const [index, content] of ['Ticks.', 'Quotes.'].entries()) {
      await send(`/${chat.id}/messages`, content);
      await main
        .locator('[data-step]:not(:empty)')
        .nth(index + 1)
        .waitFor();
    }
    expect(await main.locator('[data-step] *').count()).toBeLessThan(120);
    await main.getByRole('button', { name: 'Show 980,000 more characters' }).waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
    expect(replies).toEqual([]);
    expect(faults).toEqual([]);
  },
);
