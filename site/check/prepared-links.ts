/** Link checker of the prepared pages, before a build: every page, anchor and image of the site. Pure. */
import { anchorsOf, proseOf } from '../prepare/markdown.ts';
import { CONTENT } from '../prepare/site-files.ts';

const LINK = /\]\((?<target>[^)\s]+)\)|\b(?:src|srcset|href)="(?<source>[^"]+)"/gu;

/**
 * Returns the broken links of the files that `siteFiles()` makes for the root of a site.
 *
 * @param hasImage - returns true for the name of a file in `docs/images`
 */
export function brokenLinks(
  files: ReadonlyMap<string, string>,
  hasImage: (name: string) => boolean,
): readonly string[] {
  const pages = new Map(
    [...files].flatMap(([path, text]) => addressesOf(path).map((url) => [url, text] as const)),
  );
  const anchors = new Map<string, ReadonlySet<string>>();
  const hasAnchor = (url: string, anchor: string): boolean => {
    const known = anchors.get(url) ?? anchorsOf(pages.get(url) ?? '');
    anchors.set(url, known);
    return anchor === '' || known.has(anchor);
  };
  return [...pages].flatMap(([from, text]) =>
    linksOf(text)
      .filter((link) => {
        if (/^[a-z]+:/u.test(link)) return false;
        const [path = '', anchor = ''] = link.split('#');
        if (path.startsWith('/images/')) return !hasImage(path.slice('/images/'.length));
        const url = path === '' ? from : path;
        return url !== '/' && !(pages.has(url) && hasAnchor(url, anchor));
      })
      .map((link) => `${from}: ${link}`),
  );
}

/** The address of a page, of its Markdown, or of another text. */
function addressesOf(path: string): readonly string[] {
  if (path.startsWith(`${CONTENT}/`)) return [`${path.slice(CONTENT.length).replace(/\.md$/u, '')}/`];
  return path.startsWith('public/') ? [path.slice('public'.length)] : [];
}

function linksOf(text: string): readonly string[] {
  return [...proseOf(text).matchAll(LINK)].map(
    ({ groups }) => groups?.['target'] ?? groups?.['source'] ?? '',
  );
}
