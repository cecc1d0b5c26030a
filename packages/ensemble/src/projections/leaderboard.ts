/** Leaderboard projection: wins of models and agents over all finished runs with a winner. Pure. */
import { readOrRefuse } from '@truecast/core/internal/errors/usage-error';
import { isPlayer, type RunSeat, type RunSummary } from '../ledger/run-index.ts';

/** Plays and wins. */
export interface Leaderboard {
  /** Sorted by wins, then by win rate, then by name. */
  readonly models: readonly LeaderboardRow[];
  readonly agents: readonly LeaderboardRow[];
}

/** Totals of one contestant. A run counts once per model, however many seats it had. */
export interface LeaderboardRow {
  readonly name: string;
  readonly plays: number;
  readonly wins: number;
  /** Wins over plays. */
  readonly rate: number;
}

/**
 * Computes the leaderboard from the list that `ledger.runs()` returns.
 *
 * Judges and observers do not play. Runs without a winner or a competition do not count.
 *
 * @example
 * ```ts
 * const { models } = leaderboardOf(await memoryLedger().runs());
 * console.log(models[0]?.name);
 * ```
 */
export function leaderboardOf(runs: readonly RunSummary[]): Leaderboard {
  const what = ['runs', 'the list that `ledger.runs()` returns'] as const;
  return readOrRefuse(runs, what, () => rank(runs));
}

function rank(runs: readonly RunSummary[]): Leaderboard {
  const models = new Map<string, LeaderboardRow>();
  const agents = new Map<string, LeaderboardRow>();
  for (const { competition, cast, end } of runs) {
    if (competition === 'none' || end === undefined || end.winner === null) continue;
    const players = cast.filter(isPlayer);
    for (const model of new Set(players.map((player) => player.model))) {
      count(models, model, end.winningModels.includes(model));
    }
    for (const { name } of players) count(agents, name, end.winners.includes(name));
  }
  return { models: ranked(models), agents: ranked(agents) };
}

function count(rows: Map<string, LeaderboardRow>, name: RunSeat['name'], hasWon: boolean): void {
  if (name === '') return;
  const { plays, wins } = rows.get(name) ?? { plays: 0, wins: 0 };
  const won = wins + (hasWon ? 1 : 0);
  rows.set(name, { name, plays: plays + 1, wins: won, rate: won / (plays + 1) });
}

function ranked(rows: ReadonlyMap<string, LeaderboardRow>): readonly LeaderboardRow[] {
  return [...rows.values()].sort(
    (a, b) => b.wins - a.wins || b.rate - a.rate || (a.name < b.name ? -1 : Number(a.name > b.name)),
  );
}
