/** "Did you mean": the known name that is nearest to a mistyped one. Pure. */

const MAX_EDITS = 2;
const MIN_PART_CHARS = 3;

/** Returns the suggestion as a sentence with a leading space, or an empty string. */
export function didYouMean(word: string, names: readonly string[]): string {
  const similar = findSimilar(word.toLowerCase(), names);
  return similar === undefined ? '' : ` Did you mean \`${similar}\`?`;
}

function findSimilar(word: string, names: readonly string[]): string | undefined {
  const parts = names.filter(
    (name) => word.length >= MIN_PART_CHARS && (name.includes(word) || word.includes(name)),
  );
  if (parts.length > 0) return parts[0];
  const near = names
    .map((name) => ({ name, edits: editsBetween(word, name) }))
    .filter(({ name, edits }) => edits <= Math.min(MAX_EDITS, Math.floor(name.length / 2)))
    .toSorted((one, other) => one.edits - other.edits);
  return near[0]?.name;
}

/** Levenshtein distance, in UTF-16 units. */
function editsBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let at = 0; at < one.length; at += 1) {
    const next = [at + 1];
    for (let index = 0; index < other.length; index += 1) {
      const replaced = (row[index] ?? 0) + (one[at] === other[index] ? 0 : 1);
      next.push(Math.min(replaced, (row[index + 1] ?? 0) + 1, (next[index] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
