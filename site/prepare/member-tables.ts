/**
 * Member tables: the options, results and events that `docs/` lists between `<!-- members of X -->` and
 * `<!-- end of members -->`. Each row gets an anchor, and is a record of the search. Pure.
 */
import { cellsOf, plain } from './markdown.ts';

const TABLE =
  /<!-- members of (?<types>[\w, ]+?)(?: without [\w, ]+)? -->\n(?<table>[\s\S]*?)<!-- end of members -->/gu;
const ROW = /^\| `(?<name>[^`]+)` \|/u;

/** A row of such a table. */
export interface Member {
  /** Type that has it, such as `RunOptions`. */
  readonly type: string;
  readonly name: string;
  /** Last cell of the row, as text. */
  readonly meaning: string;
  /** Anchor of the row. */
  readonly id: string;
}

/** Returns the rows of all marked tables of a page. */
export function membersOf(page: string): readonly Member[] {
  return [...page.matchAll(TABLE)].flatMap(({ groups }) => {
    const { types = '', table = '' } = groups ?? {};
    const type = types.split(', ')[0] ?? '';
    // Below the heads: that of a union's table is a name too.
    const [, , ...rows] = table.split('\n');
    return rows.flatMap((row) => {
      const name = ROW.exec(row)?.groups?.['name'];
      return name === undefined
        ? []
        : [{ type, name, meaning: plain(cellsOf(row).at(-1) ?? ''), id: idOf(type, name) }];
    });
  });
}

/** Adds the anchors to the rows, and removes the marks. */
export function withAnchors(page: string): string {
  const seen = new Set<string>();
  return page.replaceAll(TABLE, (...match: unknown[]) => {
    const { types = '', table = '' } = match.at(-1) as Readonly<Record<string, string>>;
    const [head, line, ...rows] = table.split('\n');
    const anchored = rows.map((row) => {
      const name = ROW.exec(row)?.groups?.['name'];
      const id = name === undefined ? '' : idOf(types.split(', ')[0] ?? '', name);
      if (name === undefined || seen.has(id)) return row;
      seen.add(id);
      return row.replace('| ', `| <span id="${id}"></span>`);
    });
    return [head, line, ...anchored].join('\n');
  });
}

function idOf(type: string, name: string): string {
  return `${type}.${name}`;
}
