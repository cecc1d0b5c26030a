/** Markdown reader: fences, headings, tables and plain text of a page. Pure. */

const FENCE = /^(?<indent> *)(?<ticks>`{3,})(?<info>[^\n`]*)\n(?<code>[\s\S]*?)^ *\k<ticks> *$/gmu;

/** A code block. */
export interface Fence {
  /** Indentation and backticks of its first line. */
  readonly ticks: string;
  /** Language, and words after it. */
  readonly info: string;
  readonly code: string;
}

/** Rewrites the prose and the code blocks of a text separately. */
export function mapParts(
  text: string,
  prose: (text: string) => string,
  fence: (fence: Fence) => string,
): string {
  const parts: string[] = [];
  let end = 0;
  for (const { 0: whole, index, groups } of text.matchAll(FENCE)) {
    const { indent = '', ticks = '', info = '', code = '' } = groups ?? {};
    parts.push(prose(text.slice(end, index)), fence({ ticks: indent + ticks, info: info.trim(), code }));
    end = index + whole.length;
  }
  return [...parts, prose(text.slice(end))].join('');
}

/** Returns the prose of a text, without its code blocks. */
export function proseOf(text: string): string {
  return mapParts(
    text,
    (prose) => prose,
    () => '',
  );
}

/** Returns inline Markdown as text. */
export function plain(text: string): string {
  return text
    .replaceAll(/<[^>]*>/gu, '')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/gu, '$1')
    .replaceAll(/[`*]/gu, '')
    .replaceAll(/\s+/gu, ' ')
    .trim();
}

/** Returns the first paragraph that is prose, as text of at most `limit` characters. */
export function firstParagraph(text: string, limit: number): string {
  const paragraphs = proseOf(text).split(/\n\s*\n/u);
  const first = plain(paragraphs.find((part) => /^[^#<|>\s-]/u.test(part.trimStart())) ?? '');
  return first.length > limit ? `${first.slice(0, first.lastIndexOf(' ', limit - 2))} …` : first;
}

/**
 * Returns the anchors of a page: of its headings as GitHub makes them, and of its `id` attributes. A
 * heading that occurs again gets a number.
 */
export function anchorsOf(text: string): ReadonlySet<string> {
  const prose = proseOf(text);
  const counts = new Map<string, number>();
  const headings = [...prose.matchAll(/^#+ (?<heading>.+)$/gmu)].map(({ groups }) => {
    const anchor = plain(groups?.['heading'] ?? '')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-');
    const count = counts.get(anchor) ?? 0;
    counts.set(anchor, count + 1);
    return count === 0 ? anchor : `${anchor}-${count}`;
  });
  return new Set([...headings, ...[...prose.matchAll(/ id="(?<id>[^"]+)"/gu)].map(([, id = '']) => id)]);
}

/** Returns the cells of a table row. `\|` is a bar within a cell. */
export function cellsOf(row: string): readonly string[] {
  return row
    .trim()
    .replaceAll(/^\||\|$/gu, '')
    .split(/(?<!\\)\|/u)
    .map((cell) => cell.trim().replaceAll('\\|', '|'));
}

/** Returns the rows of all tables of a text, with their heads and without the lines below these. */
export function tableRows(text: string): readonly (readonly string[])[] {
  return proseOf(text)
    .split('\n')
    .filter((line) => line.startsWith('|') && !/^[|\s:-]+$/u.test(line))
    .map(cellsOf);
}

/** Returns the first row whose first cell begins with `start`. Throws if no table has one. */
export function rowOf(text: string, start: string): readonly string[] {
  const row = tableRows(text).find(([first = '']) => first.startsWith(start));
  if (row === undefined) throw new Error(`No table has a row that begins with \`${start}\`.`);
  return row;
}
