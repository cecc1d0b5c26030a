/** Error pages: one for each code of `docs/errors.md`, with the text of its rows. Pure. */
import { cellsOf, plain } from './markdown.ts';

/** Source of the codes. */
export const ERRORS_FILE = 'docs/errors.md';

/** A row of the tables of `docs/errors.md`. */
interface ErrorRow {
  readonly code: string;
  /** Class of the error, such as `ModelError`. */
  readonly className: string;
  /** Text between the heading of the class and its table. */
  readonly about: string;
  readonly means: string;
  readonly remedy: string;
}

/** A page for one code. */
export interface ErrorPage {
  readonly code: string;
  readonly description: string;
  /** Markdown without a title, with links relative to `docs/errors.md`. */
  readonly body: string;
}

/** Returns the pages for the codes of `docs/errors.md`. A code of several classes has one page. */
export function errorPages(text: string): readonly ErrorPage[] {
  const byCode = Map.groupBy(errorRows(text), ({ code }) => code);
  return [...byCode].map(([code, rows]) => ({
    code,
    description: plain(rows[0]?.means ?? ''),
    body: `${rows.map((row) => sectionOf(row, rows.length > 1)).join('\n')}\nAll codes: [errors.md](errors.md).\n`,
  }));
}

/** Links each code in the tables of the page `docs/errors.md` to its own page below `base`. */
export function withErrorLinks(page: string, base: string, suffix: string): string {
  return page.replaceAll(/^\| `(?<code>[\w-]+)` \|/gmu, (_row, code: string) => {
    return `| [\`${code}\`](${base}/errors/${code}${suffix}) |`;
  });
}

function errorRows(text: string): readonly ErrorRow[] {
  const [, ...sections] = text.split(/^## /mu);
  return sections.flatMap((section) => {
    const className = /^`(?<name>\w+)`/u.exec(section)?.groups?.['name'];
    if (className === undefined) return [];
    const lines = section.split('\n');
    const table = lines.findIndex((line) => line.startsWith('|'));
    const about = lines.slice(1, table).join('\n').trim();
    return lines.slice(table).flatMap((line) => {
      const [first = '', means = '', remedy = ''] = cellsOf(line);
      const code = /^`(?<code>[\w-]+)`$/u.exec(first)?.groups?.['code'];
      return code === undefined ? [] : [{ code, className, about, means, remedy }];
    });
  });
}

function sectionOf({ className, about, means, remedy }: ErrorRow, isOneOfSeveral: boolean): string {
  const level = isOneOfSeveral ? '###' : '##';
  const text = [
    isOneOfSeveral ? `## \`${className}\`\n` : `A code of \`${className}\`.\n`,
    `${level} What happened\n\n${means}\n`,
    `${level} What to do\n\n${remedy}\n`,
    about === '' ? '' : `${level} About \`${className}\`\n\n${about}\n`,
  ].join('\n');
  // Links within the page of all codes.
  return text.replaceAll('](#', '](errors.md#');
}
