/**
 * Short check of the site: each page of `docs/` has its place, and the prepared pages, links, anchors,
 * errors, records of the search and data of the landing page are whole. Needs no installation of `site/`.
 */
import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { brokenLinks } from '../../site/check/prepared-links.ts';
import { queriesOf } from '../../site/check/search.ts';
import { accessible } from '../../site/make-accessible.ts';
import { smaller } from '../../site/make-smaller.ts';
import { groups, slugOf } from '../../site/pages.ts';
import { landingData } from '../../site/prepare/landing-data.ts';
import { rewriteLinks, type LinkRules } from '../../site/prepare/links.ts';
import { anchorsOf, firstParagraph } from '../../site/prepare/markdown.ts';
import { membersOf, withAnchors } from '../../site/prepare/member-tables.ts';
import { shownType } from '../../site/prepare/shown-type.ts';
import { TEXTS, verdictOn } from '../../site/src/live/verdict.ts';
import { readPages } from '../../site/prepare/read-pages.ts';
import { CONTENT, searchRecords, siteFiles } from '../../site/prepare/site-files.ts';
import { withHovers } from '../../site/with-hovers.ts';
import { readPage } from './page-snippets.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const MAX_LABEL = 30;
/** Lines of a sample, without its imports. */
const MAX_SAMPLE_LINES = 14;

const rows = groups.flatMap(({ pages }) => Object.entries(pages));
const files = siteFiles({ root: ROOT });
const records = searchRecords(readPages(ROOT), ROOT);

describe('the sidebar', () => {
  it('has each page of docs/: add a row to `site/pages.ts`', () => {
    const pages = globSync('docs/*.md', { cwd: ROOT }).filter((file) => file !== 'docs/README.md');
    const listed = rows.map(([file]) => file);
    expect(pages.filter((file) => !listed.includes(file))).toEqual([]);
    expect(listed.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  });

  it('has short labels, each once, and an address for each page', () => {
    const labels = rows.map(([, label]) => label);
    expect(labels.filter((label) => label.length > MAX_LABEL)).toEqual([]);
    expect(new Set(labels).size).toBe(labels.length);
    expect(new Set(rows.map(([file]) => slugOf(file))).size).toBe(rows.length);
  });
});

describe('the prepared pages', () => {
  it('have links and anchors that exist', () => {
    expect(brokenLinks(files, (name) => existsSync(join(ROOT, 'docs/images', name)))).toEqual([]);
  });

  it('have a title, a description and a Markdown version each', () => {
    for (const { slug, title, description } of readPages(ROOT)) {
      expect([title, description], slug).not.toContain('');
      expect(files.get(`public/${slug}.md`), slug).toContain(`# ${title}\n`);
    }
  });

  it('are in llms.txt, and the guides in llms-full.txt', () => {
    const index = files.get('public/llms.txt') ?? '';
    expect(rows.filter(([file]) => !index.includes(`](/${slugOf(file)}.md): `))).toEqual([]);
    expect(files.get('public/llms-full.txt')).toContain('# run(): ');
  });

  it('name files of the repository until it has an address, and link them after that', () => {
    const page = `${CONTENT}/migrate.md`;
    expect(files.get(page)).toMatch(/`examples\/migration`/u);
    expect([...files.values()].join('\n')).not.toMatch(/undefined\/|\.example\b.*truecast/u);
    const repository = 'https://git.example.com/team/project';
    expect(siteFiles({ root: ROOT, repository }).get(page)).toContain(`](${repository}/blob/main/examples/`);
  });

  it('have addresses below the base', () => {
    const based = siteFiles({ root: ROOT, base: '/docs' });
    expect(based.get(`${CONTENT}/first-answer.md`)).toContain('](/docs/run/)');
    expect(based.get('public/llms.txt')).toContain('](/docs/run.md)');
  });
});

describe('the errors', () => {
  const codes = [
    ...readPage('docs/errors.md').matchAll(/^\| `(?<code>[\w-]+)` \| (?<means>.+?) \| (?<fix>.+) \|$/gmu),
  ];

  it('have a page for each code, with the text of the table and the next step', () => {
    expect(codes.length).toBeGreaterThan(100);
    for (const { groups: row } of codes) {
      const page = files.get(`${CONTENT}/errors/${row?.['code'] ?? ''}.md`) ?? '';
      const start = (text: string): string => text.split(/[[`|]/u)[0]?.replaceAll('\\', '') ?? '';
      expect(page, row?.['code']).toContain(`## What happened\n\n${start(row?.['means'] ?? '')}`);
      expect(page, row?.['code']).toContain(`## What to do\n\n${start(row?.['fix'] ?? '')}`);
    }
  });

  it('are linked from the table', () => {
    expect(files.get(`${CONTENT}/errors.md`)).toContain('| [`invalid-json`](/errors/invalid-json/) |');
  });
});

describe('the search', () => {
  const names = records.map(({ name }) => name);

  it('has a record for each row of the member tables', () => {
    const lines = globSync('docs/*.md', { cwd: ROOT }).flatMap((file) =>
      [...readPage(file).matchAll(/<!-- members of [\s\S]*?<!-- end of members -->/gu)].flatMap(([table]) =>
        table.split('\n').filter((line) => line.startsWith('| `') && !line.startsWith('| `type` | with')),
      ),
    );
    expect(names).toHaveLength(lines.length);
    expect(names).toEqual(
      expect.arrayContaining([
        'branchStrategy',
        'maxCorrections',
        'readOnly',
        'attachments',
        'until',
        'timeouts',
      ]),
    );
  });

  it('leads to an anchor of the page', () => {
    for (const { url } of records) {
      const [path = '', id = ''] = url.split('#');
      expect(files.get(`${CONTENT}${path.replace(/\/$/u, '.md')}`), url).toContain(
        `<span id="${id}"></span>`,
      );
    }
  });

  it('is tried with each name once, for all pages that have it', () => {
    const queries = queriesOf(records);
    expect(queries.map(({ text }) => text)).toEqual(expect.arrayContaining(names));
    expect(new Set(queries.map(({ text }) => text)).size).toBe(queries.length);
    expect(queries.find(({ text }) => text === 'cwd')?.pages).toEqual(
      expect.arrayContaining(['/run/', '/batch/']),
    );
    expect(queries.find(({ text }) => text === 'messages')?.pages.toSorted()).toEqual([
      '/generate/',
      '/merging/',
    ]);
    // The page of that name, beside those that have the option.
    expect(queries.find(({ text }) => text === 'record')?.pages).toContain('/record-replay/');
  });
});

describe('the landing page', () => {
  const data = landingData(ROOT);

  it('has figures with a command, and samples of about ten lines', () => {
    expect(data.figures).toHaveLength(6);
    for (const { value, meaning, command } of data.figures) {
      expect(value).toMatch(/^\d/u);
      expect(meaning).not.toContain('…');
      expect(command).toMatch(/^npm run bench -- --only |^npx vitest run test\//u);
    }
    for (const { code, name } of data.samples) {
      const lines = code
        .trim()
        .split('\n')
        .filter((line) => line !== '' && !line.startsWith('import '));
      expect(lines.length, name).toBeLessThanOrEqual(MAX_SAMPLE_LINES);
    }
  });

  it('has the recorded run, guarantees and comparisons of the pages', () => {
    expect(data.trace.steps.map(({ kind }) => kind)).toEqual([
      'agent',
      'refused',
      'agent',
      'valid',
      'commit',
    ]);
    expect(data.guarantees.shown).toHaveLength(8);
    expect(data.guarantees.states['held']).toBeGreaterThan(300);
    expect(data.parsers.map(({ right }) => right)).not.toContain(Number.NaN);
    expect(data.jobs.lines.ours).toMatch(/^\d+$/u);
    expect(data.jobs.survived.glue).toMatch(/^\d+ of \d+$/u);
  });

  it('links only pages of the site', () => {
    const source = readPage('site/src/pages/index.astro') + readPage('site/src/components/header.astro');
    const paths = [...source.matchAll(/'(?<path>\/[a-z][\w./#-]*)'/gu)].map(([, path = '']) => path);
    const known = (path: string): boolean => {
      const [page = '', anchor] = path.split('#');
      if (page.startsWith('/images/')) return existsSync(join(ROOT, 'docs', page));
      if (page.endsWith('.txt')) return page === '/licenses.txt' || files.has(`public${page}`);
      const text = files.get(`${CONTENT}${page.replace(/\/$/u, '.md')}`);
      return text !== undefined && (anchor === undefined || anchorsOf(text).has(anchor));
    };
    expect(paths.length).toBeGreaterThan(20);
    expect(paths.filter((path) => !known(path))).toEqual([]);
  });
});

it('the example of the landing page refuses a wrong and a cut answer, and takes the last one', async () => {
  const verdicts = await Promise.all(Object.values(TEXTS).map(verdictOn));
  expect(verdicts.map(({ isValid }) => isValid)).toEqual([false, true, true, false]);
  expect(verdicts[0]?.text).toContain('- line: ');
  expect(JSON.parse(verdicts[2]?.text ?? '')).toEqual({ file: 'loop.ts', line: 1 });
});

describe('the preparation', () => {
  const rules: LinkRules = {
    base: '',
    labels: new Map([
      ['docs/run.md', 'Run an agent'],
      ['docs/adr/0001-modes.md', ''],
    ]),
    repository: undefined,
    suffix: '/',
    exists: (path) => !path.includes('missing'),
  };
  const rewritten = (text: string): string => rewriteLinks(text, 'docs/output.md', rules);

  it.each([
    ['[run.md](run.md#budget)', '[Run an agent](/run/#budget)'],
    ['[the\nbudget](run.md#budget)', '[the\nbudget](/run/#budget)'],
    ['[`run()`](../docs/run.md)', '[`run()`](/run/)'],
    ['[ADR 0001](adr/0001-modes.md)', '[ADR 0001](/decisions/0001-modes/)'],
    ['[here](#tags)', '[here](#tags)'],
    ['[start](README.md)', '[start](/)'],
    ['![shot](images/console-dark.png)', '![shot](/images/console-dark.png)'],
    ['<img src="images/a.png">', '<img src="/images/a.png">'],
    ['[`../AGENTS.md`](../AGENTS.md)', '`AGENTS.md`'],
    ['[a test](../test/a.test.ts)', 'a test (`test/a.test.ts`)'],
    ['[site](https://example.com)', '[site](https://example.com)'],
  ])('rewrites %s', (text, expected) => {
    expect(rewritten(text)).toBe(expected);
  });

  it('refuses a link to a file that does not exist', () => {
    expect(() => rewritten('[x](missing.md)')).toThrow('docs/output.md links to `docs/missing.md`');
  });

  it('makes the anchors of GitHub, also of repeated headings and not of code', () => {
    const page =
      '# A\n\n## `run()`: a *call*\n\n## Same\n\n```sh\n# no heading\n```\n\n## Same\n\n<a id="own"></a>\n';
    expect([...anchorsOf(page)]).toEqual(['a', 'run-a-call', 'same', 'same-1', 'own']);
  });

  it('describes a page by its first paragraph', () => {
    const page = '<img src="a.png">\n\n| a |\n|---|\n\nFor [users](a.md) of `run()`.\nIt starts.\n\nMore.';
    expect(firstParagraph(page, 155)).toBe('For users of run(). It starts.');
    expect(firstParagraph('one two three four', 10)).toBe('one two …');
  });

  it('gives each row of a member table its anchor, and reads bars within cells', () => {
    const table =
      '<!-- members of A, B -->\n| name | meaning |\n| --- | --- |\n| `x` | `1 \\| 2` |\n<!-- end of members -->';
    expect(membersOf(table)).toEqual([{ type: 'A', name: 'x', meaning: '1 | 2', id: 'A.x' }]);
    expect(withAnchors(table)).toBe(
      '| name | meaning |\n| --- | --- |\n| <span id="A.x"></span>`x` | `1 \\| 2` |\n',
    );
  });

  it('removes the keys from the name of the search button', () => {
    const keys =
      '<kbd class="sl-hidden md:sl-flex a" style="display: none;"><kbd>Ctrl</kbd><kbd>K</kbd></kbd>';
    expect(accessible(`<button aria-label="Search">Search${keys}</button>`)).toBe(
      '<button aria-label="Search">Search</button>',
    );
  });

  it('writes the colours of code once, and none for plain text', () => {
    const span = (dark: string, light: string, text: string): string =>
      `<span style="--0:${dark};--1:${light}">${text}</span>`;
    const line = [
      span('#FF7B72', '#CA212D', 'const'),
      span('#E6EDF3', '#1F2328', ' a '),
      span('#FF7B72', '#CA212D', '='),
      span('#79C0FF', '#0550AE', '1'),
    ];
    expect(smaller(`<head></head>${line.join('')}`)).toBe(
      '<head><style>.expressive-code .ec-line .c0{color:#FF7B72}[data-theme=light] .expressive-code .ec-line .c0{color:#CA212D}' +
        '.expressive-code .ec-line .c1{color:#79C0FF}[data-theme=light] .expressive-code .ec-line .c1{color:#0550AE}</style></head>' +
        '<span class="c0">const</span> a <span class="c0">=</span><span class="c1">1</span>',
    );
  });

  it('leaves the icons of anchors to the style, and the depth of entries to their list', () => {
    expect(smaller('<span class="sl-anchor-icon"><svg width="16"><path d="m1 1"></path></svg></span>')).toBe(
      '<span class="sl-anchor-icon"></span>',
    );
    expect(
      smaller(
        '<ul class="a" style="--depth: 1;"><li style="--depth: 1;" class="a"><a href="#b" style="--depth: 1;" class="a">b</a></li></ul>',
      ),
    ).toBe('<ul class="a" style="--depth: 1;"><li class="a"><a href="#b" class="a">b</a></li></ul>');
  });

  it('shows a member without its owner, and a signature without type arguments', () => {
    expect(shownType('(property) A<{ b: string; }>.end?: string', 'end')).toBe('(property) end?: string');
    expect(
      shownType(
        '(alias) run<A<{\n b: C;\n}>, D>(options: E<F<G>>): Promise<H> (+4 overloads)\nimport run',
        'run',
      ),
    ).toBe('run(options: E<…>): Promise<…>');
    expect(shownType('(method) A.on(listener: (b: Set<B>) => void): C', 'on')).toBe(
      '(method) on(listener: (b: Set<…>) => void): C',
    );
    expect(shownType('const a: Map<string, number>', 'a')).toBe('const a: Map<string, number>');
  });

  it('marks the names of a sample that have a type, and refuses a block with other code', () => {
    const hover = { line: 1, column: 4, name: 'b', type: 'const b: "<x>"', text: 'Says a & b.' };
    const block = (code: string): string =>
      `<pre data-language="ts"><code><div class="ec-line"><div class="code">\n</div></div><div class="ec-line"><div class="code">${code}</div></div></code></pre>`;
    const sample = { code: '\na < b;\n', hovers: [hover] };
    expect(withHovers(block('<span class="c0">a</span> &#x3C; b;'), [sample])).toBe(
      block(
        '<span class="c0">a</span> &#x3C; <span class="typed" tabindex="0" data-type="const b: &quot;&lt;x>&quot;" data-text="Says a &amp; b.">b</span>;',
      ),
    );
    expect(() => withHovers(block('a &#x3C; c;'), [sample])).toThrow('shows another sample');
    expect(() => withHovers('', [sample])).toThrow('0 code blocks, not 1');
  });

  it('lets a keyboard reach tables and code, by distinct names', () => {
    expect(accessible('<table></table><pre data-language="ts"></pre><table></table>')).toBe(
      '<table tabindex="0" aria-label="Table 1"></table><pre data-language="ts" tabindex="0" aria-label="Code 3: ts"></pre><table tabindex="0" aria-label="Table 2"></table>',
    );
  });
});
