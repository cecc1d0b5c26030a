/** Lines of a value as JSON: the text of each row of its tree, and the parts that end after it. Pure. */

/** A row of a tree, without members that the value does not have. */
interface TreeRow {
  readonly name: string;
  /** Depth, from 1. */
  readonly level: number;
  /** Position among its siblings, from 1. */
  readonly position: number;
  readonly siblings: number;
  readonly value: unknown;
  /** A leaf has no rows below it. */
  readonly kind: 'leaf' | 'open' | 'folded';
  /** Empty for a value without members. */
  readonly pointer: string;
}

/** A line without a row: a bracket that opens or ends a part. */
interface BracketLine {
  /** Number of parts around it. */
  readonly depth: number;
  readonly text: string;
}

/** One row of the tree, as lines of JSON. */
export interface JsonLine {
  /** Number of parts around it. */
  readonly depth: number;
  /** The key as JSON. Undefined for an item of a list, and for a value without members. */
  readonly key: string | undefined;
  /** Brackets of a part. Undefined for a value without rows below it, which is written whole. */
  readonly brackets: Brackets | undefined;
  /** True if a comma follows the value. */
  readonly hasComma: boolean;
  /** The opening line of the whole value, before its first row. */
  readonly before: BracketLine | undefined;
  /** The ends of parts whose last row this is, innermost first. */
  readonly after: readonly BracketLine[];
}

type Brackets = readonly [open: string, end: string];

const OBJECT: Brackets = ['{', '}'];
const LIST: Brackets = ['[', ']'];
const NO_LINES: readonly BracketLine[] = [];

/** A part whose rows come next. */
interface OpenPart {
  readonly brackets: Brackets;
  readonly hasComma: boolean;
}

/** Returns the lines of a value, one for each row. */
export function jsonLines(rows: readonly TreeRow[], whole: unknown): readonly JsonLine[] {
  const isWhole = rows[0]?.pointer === '';
  const open: OpenPart[] = isWhole ? [] : [{ brackets: bracketsOf(whole), hasComma: false }];
  return rows.map((row, index) => {
    const around = open.at(-1);
    const depth = open.length;
    const hasComma = row.position < row.siblings;
    const brackets = row.kind === 'leaf' ? undefined : bracketsOf(row.value);
    if (row.kind === 'open' && brackets !== undefined) open.push({ brackets, hasComma });
    const isItem = isWhole || around?.brackets === LIST;
    return {
      depth,
      key: isItem ? undefined : JSON.stringify(row.name),
      brackets,
      // The comma of an open part follows its end.
      hasComma: hasComma && row.kind !== 'open',
      before: index === 0 && around !== undefined ? { depth: 0, text: around.brackets[0] } : undefined,
      after: endsAfter(open, isWhole ? 0 : (rows[index + 1]?.level ?? 0)),
    };
  });
}

function bracketsOf(value: unknown): Brackets {
  return Array.isArray(value) ? LIST : OBJECT;
}

/** Removes the parts that end before a row of a level, and returns their ends. */
function endsAfter(open: OpenPart[], level: number): readonly BracketLine[] {
  if (open.length <= level) return NO_LINES;
  const ended = open.splice(level).toReversed();
  return ended.map(({ brackets, hasComma }, index) => ({
    depth: level + ended.length - 1 - index,
    text: `${brackets[1]}${hasComma ? ',' : ''}`,
  }));
}
