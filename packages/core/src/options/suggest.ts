/** Spelling suggestions by edit distance. Pure. */

/** Maximum word length. The cost is quadratic. */
const MAX_COMPARED_CHARS = 64;

/** A shorter word is a part of too many names. */
const MIN_PART_CHARS = 3;

/**
 * Returns ``Did you mean `x`?`` for the first known name that begins with the word, else for the nearest one,
 * else for the first one that contains the word or is contained in it. Undefined if no name is near.
 */
export function suggest(word: string, known: readonly string[]): string | undefined {
  if (word.length > MAX_COMPARED_CHARS) return undefined;
  const plain = plainly(word);
  const near = known
    .map((candidate) => ({ candidate, distance: editDistance(plain, plainly(candidate)) }))
    .filter(({ candidate, distance }) => distance <= Math.max(1, Math.floor(candidate.length / 3)))
    .sort((a, b) => a.distance - b.distance);
  const best =
    known.find((candidate) => isBeginning(plain, plainly(candidate))) ??
    near[0]?.candidate ??
    known.find((candidate) => isPart(plain, plainly(candidate)));
  return best === undefined ? undefined : `Did you mean \`${best}\`?`;
}

/** A word of half the length or more is a shortened name. */
function isBeginning(word: string, name: string): boolean {
  return word.length >= MIN_PART_CHARS && 2 * word.length >= name.length && name.startsWith(word);
}

function isPart(word: string, name: string): boolean {
  const length = Math.min(word.length, name.length);
  return length >= MIN_PART_CHARS && (name.includes(word) || word.includes(name));
}

/** camelCase, kebab-case and snake_case forms of a name are equal. */
function plainly(word: string): string {
  return word
    .slice(0, MAX_COMPARED_CHARS)
    .toLowerCase()
    .replaceAll(/[-_. ]/gu, '');
}

/** Damerau-Levenshtein distance: insertions, deletions, replacements and swaps of neighbours. */
function editDistance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const isSame = from[row - 1] === to[column - 1];
      const isSwap = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      const swapped = isSwap ? at(beforeLast, column - 2) + 1 : Number.POSITIVE_INFINITY;
      const replaced = at(last, column - 1) + (isSame ? 0 : 1);
      current.push(Math.min(at(last, column) + 1, at(current, column - 1) + 1, replaced, swapped));
    }
    beforeLast = last;
    last = current;
  }
  return at(last, to.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}
