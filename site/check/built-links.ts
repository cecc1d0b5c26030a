/** Link checker of the built site: every page, anchor, image and script, also those in llms.txt. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Result of the checker. */
export interface LinkReport {
  readonly pages: number;
  readonly links: number;
  /** Broken links, and files that are loaded from another host. */
  readonly problems: readonly string[];
}

const LINK = /<(?<element>a|img|link|script|source)\s[^>]*?(?:href|src|srcset)="(?<url>[^"]+)"/gu;
const FOREIGN = /^(?:[a-z]+:)?\/\//u;

/** Checks the files in `dist`, which are served below `base`. */
export function checkBuiltLinks(dist: string, base: string): LinkReport {
  const html = new Map(
    globSync('**/*.html', { cwd: dist }).map((file) => [
      `/${file.replace(/index\.html$/u, '')}`,
      readFileSync(join(dist, file), 'utf8'),
    ]),
  );
  const ids = new Map([...html].map(([page, text]) => [page, idsOf(text)]));
  const problems = new Set<string>();
  let links = 0;
  const check = (from: string, url: string): void => {
    links += 1;
    const { pathname, hash } = new URL(url, `http://site${base}${from}`);
    const path = decodeURIComponent(pathname).slice(base.length);
    const anchor = decodeURIComponent(hash.slice(1));
    const known = ids.get(path);
    if (known === undefined) {
      if (path.endsWith('/') || !existsSync(join(dist, path))) problems.add(`${from}: no page ${url}`);
    } else if (anchor !== '' && !known.has(anchor)) problems.add(`${from}: no anchor ${url}`);
  };
  for (const [page, text] of html) {
    for (const { groups } of text.matchAll(LINK)) {
      const { element = '', url = '' } = groups ?? {};
      if (FOREIGN.test(url)) {
        if (element !== 'a') problems.add(`${page}: loads ${url}`);
      } else if (!/^[a-z]+:/u.test(url)) check(page, url.replaceAll('&amp;', '&'));
    }
  }
  const index = readFileSync(join(dist, 'llms.txt'), 'utf8');
  for (const [, url = ''] of index.matchAll(/\]\(([^)]+)\)/gu)) check('/llms.txt', url);
  for (const file of globSync('**/*.css', { cwd: dist })) {
    const [found] =
      /(?:url\(|@import )["']?(?:https?:)?\/\/[^"')]+/u.exec(readFileSync(join(dist, file), 'utf8')) ?? [];
    if (found !== undefined) problems.add(`${file}: loads ${found}`);
  }
  return { pages: html.size, links, problems: [...problems] };
}

function idsOf(html: string): ReadonlySet<string> {
  return new Set([...html.matchAll(/\sid="(?<id>[^"]+)"/gu)].map(({ groups }) => groups?.['id'] ?? ''));
}
