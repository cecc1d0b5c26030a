/** Link rewriter: turns links between files of the repository into links between pages of the site. Pure. */
import { posix } from 'node:path';
import { slugOf } from '../pages.ts';

/** Where links of a page can lead. */
export interface LinkRules {
  /** Address of the site's root, without a slash at its end: an empty string for `/`. */
  readonly base: string;
  /** Labels of the pages by their file. Decisions and recipes have an empty one. */
  readonly labels: ReadonlyMap<string, string>;
  /** Address of the repository. If absent, other files are named, not linked. */
  readonly repository: string | undefined;
  /** End of a page's address: `/` for a page, `.md` for its Markdown. */
  readonly suffix: '/' | '.md';
  /** Returns true for a file or folder of the repository. */
  readonly exists: (path: string) => boolean;
}

const LINK = /(?<image>!?)\[(?<text>(?:[^[\]]|\[[^\]]*\])*)\]\((?<target>[^)\s]+)\)/gu;
const ATTRIBUTE = /\b(?<attribute>src|srcset|href)="(?<target>[^"]+)"/gu;
const IMAGES = 'docs/images/';

/** Rewrites the links in prose of `file`. Throws for a link to a file that does not exist. */
export function rewriteLinks(prose: string, file: string, rules: LinkRules): string {
  return prose
    .replaceAll(LINK, (...match: unknown[]) => {
      const { image = '', text = '', target = '' } = match.at(-1) as Readonly<Record<string, string>>;
      const url = addressOf(target, file, rules);
      if (url === undefined) return sourceName(text, target, file);
      return `${image}[${labelOf(text, target, file, rules)}](${url})`;
    })
    .replaceAll(ATTRIBUTE, (...match: unknown[]) => {
      const { attribute = '', target = '' } = match.at(-1) as Readonly<Record<string, string>>;
      return `${attribute}="${addressOf(target, file, rules) ?? target}"`;
    });
}

/** Returns the address of a link's target, or undefined for a source file without an address. */
function addressOf(target: string, file: string, rules: LinkRules): string | undefined {
  if (/^[a-z]+:|^#|^\//u.test(target)) return target;
  const { path, anchor } = resolve(target, file);
  const { base, labels, repository, suffix, exists } = rules;
  if (!exists(path)) throw new Error(`${file} links to \`${path}\`, which does not exist.`);
  if (path.startsWith(IMAGES)) return `${base}/images/${path.slice(IMAGES.length)}`;
  const page = [path, `${path}/README.md`].find((each) => labels.has(each) || slugOf(each) === '');
  if (page !== undefined) return pageAddress(slugOf(page), base, suffix) + anchor;
  return repository === undefined ? undefined : `${repository}/blob/main/${path}${anchor}`;
}

/** Returns the address of a page. That of the landing page has no Markdown, so its index takes its place. */
export function pageAddress(slug: string, base: string, suffix: LinkRules['suffix']): string {
  if (slug === '') return suffix === '/' ? `${base}/` : `${base}/llms.txt`;
  return `${base}/${slug}${suffix}`;
}

/** Replaces a file's name in the text of a link by the label of its page. */
function labelOf(text: string, target: string, file: string, { labels }: LinkRules): string {
  if (!/^[\w-]+\.md$/u.test(text)) return text;
  const label = labels.get(resolve(target, file).path);
  return label === undefined || label === '' ? text : label;
}

/** Names a source file that has no address. */
function sourceName(text: string, target: string, file: string): string {
  const { path } = resolve(target, file);
  const isNamed = path.endsWith(text.replaceAll('`', '').replaceAll(/^\.\.\/|\/$/gu, ''));
  return isNamed ? `\`${path}\`` : `${text} (\`${path}\`)`;
}

function resolve(target: string, file: string): { readonly path: string; readonly anchor: string } {
  const at = target.indexOf('#');
  const path = at < 0 ? target : target.slice(0, at);
  const full = path === '' ? file : posix.join(posix.dirname(file), path).replace(/\/$/u, '');
  return { path: full, anchor: at < 0 ? '' : target.slice(at) };
}
