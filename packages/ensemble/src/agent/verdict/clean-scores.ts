/** Score validation for verdicts: players only, within bounds. Pure. */
import { findPlayer } from './find-player.ts';

const LOWEST = 0;
const HIGHEST = 10;

/**
 * Drops scores of unknown players and non-numbers, and clamps the others to 0 to 10. If a name has
 * two spellings, the exact one counts, else the first.
 */
export function cleanScores(scores: unknown, players: readonly string[]): Readonly<Record<string, number>> {
  if (typeof scores !== 'object' || scores === null) return {};
  const cleaned = new Map<string, number>();
  for (const [name, score] of Object.entries(scores)) {
    const player = findPlayer(name, players);
    if (player === undefined || typeof score !== 'number' || Number.isNaN(score)) continue;
    if (player === name || !cleaned.has(player))
      cleaned.set(player, Math.min(HIGHEST, Math.max(LOWEST, score)));
  }
  return Object.fromEntries(cleaned);
}
