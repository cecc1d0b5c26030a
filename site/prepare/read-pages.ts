/** Pages of the site, as the repository has them: those of the sidebar, the decisions and the recipes. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { groups, slugOf } from '../pages.ts';
import { firstParagraph, plain } from './markdown.ts';

/** Characters of a description: search engines show no more. */
const DESCRIPTION = 155;
/** Pages that would hide the guides in the results of a search: they name every option. */
const NOT_SEARCHED = /^(?:CHANGELOG\.md$|docs\/adr\/|docs\/contributing\/)/u;

/** A Markdown file that is a page. */
export interface SourcePage {
  /** Relative to the repository. */
  readonly file: string;
  readonly slug: string;
  /** Name in the sidebar. Empty for a page that is not there. */
  readonly label: string;
  readonly title: string;
  readonly description: string;
  /** Text below the title. */
  readonly body: string;
  readonly isSearched: boolean;
}

/** Returns every page: those of the sidebar in its order, then those without a row. */
export function readPages(root: string): readonly SourcePage[] {
  const labels = new Map(groups.flatMap(({ pages }) => Object.entries(pages)));
  const others = globSync('docs/{adr,contributing}/*.md', { cwd: root }).sort();
  const files = [...labels.keys(), ...others.filter((file) => !labels.has(file))];
  return files.map((file) => {
    const text = readFileSync(join(root, file), 'utf8');
    return { ...parts(text, file), file, slug: slugOf(file), label: labels.get(file) ?? '' };
  });
}

function parts(
  text: string,
  file: string,
): Pick<SourcePage, 'title' | 'description' | 'body' | 'isSearched'> {
  const match = /^# (?<title>.+)\n/u.exec(text);
  if (match === null) throw new Error(`${file} does not begin with a title (\`# …\`).`);
  const body = text.slice(match[0].length).trimStart();
  const title = plain(match.groups?.['title'] ?? '');
  return {
    title,
    // A page can begin with a list.
    description: firstParagraph(body, DESCRIPTION) || title,
    body,
    isSearched: !NOT_SEARCHED.test(file),
  };
}
