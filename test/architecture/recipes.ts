/** Recipe reader: the paths and tables of `docs/contributing/adding-*.md`. */
import { readSource } from './source-tree.ts';

/** One row of a recipe's tables. */
export interface RecipeRow {
  /** Heading above the table. */
  readonly section: string;
  /** First cell of a table with conditions, carried down over empty cells. */
  readonly condition: string;
  readonly path: string;
  /** True if a test writes the file. */
  readonly isGenerated: boolean;
}

const PATH =
  /^(?:(?:packages|web|test|docs|bench|scripts|\.github)\/[\w./<>-]+|[\w-]+\.(?:config\.ts|json|md))$/u;

/** Returns each path in backticks, and each argument of a command that is a path. */
export function pathsOf(recipe: string): readonly string[] {
  const text = readSource(recipe);
  const quoted = [...text.matchAll(/`([^`\n]+)`/gu)].map((match) => match[1] ?? '');
  const commands = [...text.matchAll(/^```sh\n([\s\S]*?)^```/gmu)].map((match) => match[1] ?? '');
  const words = commands.flatMap((lines) => lines.split(/\s+/u));
  return [...new Set([...quoted, ...words].filter((word) => PATH.test(word)))];
}

/** Returns the rows whose cells name a path. */
export function rowsOf(recipe: string): readonly RecipeRow[] {
  const sections = readSource(recipe).split(/^## /mu).slice(1);
  return sections.flatMap((text) => {
    const section = text.slice(0, text.indexOf('\n'));
    let condition = '';
    return text.split('\n').flatMap((line) => {
      const cells = line.split('|').slice(1, -1);
      if (cells.length === 3) condition = cells[0]?.trim() || condition;
      const path = /`([^`]+)`/u.exec(cells.at(-2) ?? '')?.[1] ?? '';
      const isGenerated = cells.at(-1)?.trim().startsWith('written by') === true;
      return PATH.test(path) ? [{ section, condition, path, isGenerated }] : [];
    });
  });
}
