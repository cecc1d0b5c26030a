/** Repetitions at the end of a text: its end is a block, again and again. Pure. */

/** A repetition that reaches the end of the text. */
export interface TailRun {
  /** Characters of the block. The shortest that explains the repetition. */
  readonly period: number;
  /** Characters of the whole repetition. The first block can be a part. */
  readonly length: number;
}

/**
 * Returns the repetitions with at least `times` blocks and `least` characters, the shortest first. Linear:
 * it computes the borders of the reversed text, as the search by Knuth, Morris and Pratt does.
 */
export function tailRuns(
  text: string,
  { times, least }: { readonly times: number; readonly least: number },
): readonly TailRun[] {
  const { length: size } = text;
  const borders = new Int32Array(size);
  const runs: TailRun[] = [];
  const keep = (period: number, length: number): void => {
    if (length >= least && length >= times * period) runs.push({ period, length });
  };
  let period = 1;
  for (let at = 1, border = 0; at < size; at += 1) {
    const next = text.charCodeAt(size - 1 - at);
    while (border > 0 && next !== text.charCodeAt(size - 1 - border)) border = borders[border - 1] ?? 0;
    if (next === text.charCodeAt(size - 1 - border)) border += 1;
    borders[at] = border;
    if (at + 1 - border === period) continue;
    keep(period, at);
    period = at + 1 - border;
  }
  keep(period, size);
  return runs;
}
