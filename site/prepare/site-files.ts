/** Files of the site that come from the repository's Markdown: pages, errors, llms.txt and data. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { groups } from '../pages.ts';
import { ERRORS_FILE, errorPages, withErrorLinks } from './error-pages.ts';
import { landingData } from './landing-data.ts';
import { pageAddress, rewriteLinks, type LinkRules } from './links.ts';
import { mapParts, type Fence } from './markdown.ts';
import { membersOf, withAnchors } from './member-tables.ts';
import { readPages, type SourcePage } from './read-pages.ts';

/** Folder of the pages below `site/`. */
export const CONTENT = 'src/content/docs';

/** Options of `siteFiles`. */
export interface SiteOptions {
  /** Path of the repository. */
  readonly root: string;
  /** Address of the site's root, without a slash at its end. @default an empty string */
  readonly base?: string;
  /** Address of the repository, for links to its files. @default they are named, not linked */
  readonly repository?: string | undefined;
}

/** A record of the search, beside the pages: one row of a member table. */
export interface SearchRecord {
  /** Address with an anchor, without the base. */
  readonly url: string;
  readonly name: string;
  /** Type and page that have it. */
  readonly owner: string;
  readonly meaning: string;
}

/** Returns the files below `site/` by their path, in UTF-8. */
export function siteFiles({ root, base = '', repository }: SiteOptions): ReadonlyMap<string, string> {
  const pages = readPages(root);
  const labels = new Map(pages.map(({ file, label }) => [file, label]));
  const exists = (path: string): boolean => existsSync(join(root, path));
  const rules = (suffix: LinkRules['suffix']): LinkRules => ({ base, labels, repository, suffix, exists });
  const errors = errorPages(readFileSync(join(root, ERRORS_FILE), 'utf8'));
  const markdown = pages.map((source) => [source, markdownOf(source, rules('.md'))] as const);
  return new Map([
    ...pages.map((source) => {
      const text = contentOf(source, rules('/'));
      return [contentPath(source.slug), withDiagrams(text, root)] as const;
    }),
    ...markdown.map(([{ slug }, text]) => [`public/${slug}.md`, text] as const),
    ...errors.flatMap(({ code, description, body }) => {
      const head = { title: code, description, editUrl: false, tableOfContents: false };
      return [
        [contentPath(`errors/${code}`), page(head, bodyOf(body, ERRORS_FILE, rules('/')))],
        [`public/errors/${code}.md`, `# ${code}\n\n${bodyOf(body, ERRORS_FILE, rules('.md'))}`],
      ] as const;
    }),
    [contentPath('404'), notFound(base)],
    ['public/llms.txt', llmsIndex(pages, base)],
    ['public/llms-full.txt', llmsFull(markdown)],
    ['src/data/landing.json', toJson(landingData(root))],
    ['src/data/search-records.json', toJson(searchRecords(pages, root))],
  ]);
}

/** Returns the records of the search: each row of the member tables. */
export function searchRecords(pages: readonly SourcePage[], root: string): readonly SearchRecord[] {
  return pages.flatMap(({ file, slug, label }) =>
    membersOf(readFileSync(join(root, file), 'utf8')).map(({ type, name, meaning, id }) => ({
      url: `/${slug}/#${id}`,
      name,
      owner: `${type} · ${label}`,
      meaning,
    })),
  );
}

function contentPath(slug: string): string {
  return `${CONTENT}/${slug}.md`;
}

function contentOf(source: SourcePage, rules: LinkRules): string {
  const { file, title, description, isSearched } = source;
  const editUrl = rules.repository === undefined ? false : `${rules.repository}/edit/main/${file}`;
  const head = { title, description, editUrl, pagefind: isSearched };
  const body = bodyOf(withThemedPictures(withAnchors(source.body)), file, rules);
  return page(head, file === ERRORS_FILE ? withErrorLinks(body, rules.base, rules.suffix) : body);
}

/** The theme of the site can differ from that of the system, which a `<picture>` follows. */
function withThemedPictures(text: string): string {
  const picture =
    /<picture>\s*<source media="[^"]*dark[^"]*" srcset="([^"]+)">\s*<img src="([^"]+)"([^>]*)>\s*<\/picture>/gu;
  return text.replaceAll(
    picture,
    '<img class="light:sl-hidden" src="$1"$3>\n<img class="dark:sl-hidden" src="$2"$3>',
  );
}

/** A diagram in the page has the colours of the page's theme. A picture would have those of the system. */
function withDiagrams(text: string, root: string): string {
  return text.replaceAll(
    /^!\[[^\]]*\]\([^)\s]*\/images\/(?<name>diagram-[\w-]+\.svg)\)$/gmu,
    (_image, name: string) =>
      `<figure class="diagram" tabindex="0" role="group" aria-label="Diagram">\n${readFileSync(join(root, 'docs/images', name), 'utf8')}</figure>`,
  );
}

function markdownOf({ file, title, body }: SourcePage, rules: LinkRules): string {
  return `# ${title}\n\n${bodyOf(body, file, rules)}`;
}

function bodyOf(text: string, file: string, rules: LinkRules): string {
  return mapParts(
    text,
    (prose) => rewriteLinks(prose, file, rules),
    rules.suffix === '/' ? shownFence : wholeFence,
  );
}

/** Our second word of an info string is for the tests. An output gets the frame of a terminal. */
function shownFence({ ticks, info, code }: Fence): string {
  const [language = ''] = info.split(' ');
  const shown = info === 'text out' ? 'text title="Output" frame="terminal"' : language;
  return `${ticks}${shown}\n${code}${ticks}`;
}

function wholeFence({ ticks, info, code }: Fence): string {
  return `${ticks}${info}\n${code}${ticks}`;
}

function page(head: Readonly<Record<string, unknown>>, body: string): string {
  const yaml = Object.entries(head).map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
  return `---\n${yaml.join('\n')}\n---\n\n${body}`;
}

function notFound(base: string): string {
  const head = {
    title: 'Page not found',
    description: 'No page of the documentation has this address.',
    editUrl: false,
    tableOfContents: false,
  };
  const body = [
    'No page has this address. Search for it above, or open one of these pages:\n',
    `- [Your first typed answer](${base}/first-answer/)`,
    `- [Command line](${base}/cli/): every flag`,
    `- [Errors](${base}/errors/): every code, and its fix`,
    `- [Start page](${base}/)\n`,
  ];
  return page(head, body.join('\n'));
}

/** The index for language models: each page of the sidebar, with its description. */
function llmsIndex(pages: readonly SourcePage[], base: string): string {
  const byFile = new Map(pages.map((source) => [source.file, source]));
  const sections = groups.map(({ label, pages: rows }) => {
    const links = Object.keys(rows).flatMap((file) => {
      const source = byFile.get(file);
      if (source === undefined) return [];
      return [`- [${source.title}](${pageAddress(source.slug, base, '.md')}): ${source.description}`];
    });
    return `## ${label}\n\n${links.join('\n')}\n`;
  });
  const head = [
    '# Truecast\n',
    '> Typed, validated results from AI agents: coding agents, model calls, chats and ensembles. TypeScript.\n',
    `All guides in one file: [llms-full.txt](${base}/llms-full.txt). Each error code has a page: ${base}/errors/CODE.md\n`,
  ];
  return [...head, ...sections].join('\n');
}

function llmsFull(markdown: readonly (readonly [page: SourcePage, text: string])[]): string {
  const guides = markdown.filter(([{ label, isSearched }]) => label !== '' && isSearched);
  return `${guides.map(([, text]) => text.trim()).join('\n\n---\n\n')}\n`;
}

function toJson(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
