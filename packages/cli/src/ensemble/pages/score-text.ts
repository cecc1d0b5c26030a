/** Scores of a verdict, as text. Pure. */

/**
 * Returns `ada 9, bob 2`, the best first. Accepts any payload. Values that are not scores are
 * omitted.
 */
export function scoreText(scores: unknown): string {
  return Object.entries(typeof scores === 'object' && scores !== null ? scores : {})
    .filter((entry): entry is [string, number] => typeof entry[1] === 'number')
    .sort((a, b) => b[1] - a[1])
    .map(([name, score]) => `${name} ${score}`)
    .join(', ');
}
