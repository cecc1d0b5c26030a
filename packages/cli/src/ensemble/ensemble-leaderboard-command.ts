/** `truecast ensemble leaderboard`: wins of models and members over all stored runs. */
import { leaderboardOf, type LeaderboardRow } from '@truecast/ensemble/internal/projections/leaderboard';
import { estimateRate } from '@truecast/core/internal/statistics/wilson-interval';
import { printResult, printText, type Terminal } from '../terminal/print.ts';
import { renderTable } from '../terminal/render-table.ts';
import { withLedger, type LedgerFlags } from './with-ledger.ts';

export interface EnsembleLeaderboardFlags extends LedgerFlags {
  readonly scenario?: string;
  readonly json?: boolean;
}

/** Prints the models, then the members, best first. */
export async function ensembleLeaderboardCommand(
  { scenario, json, ...flags }: EnsembleLeaderboardFlags,
  terminal: Terminal,
): Promise<void> {
  await withLedger(flags, [], async (ledger) => {
    const runs = (await ledger.runs()).filter((run) => scenario === undefined || run.scenario === scenario);
    const board = leaderboardOf(runs);
    if (json === true) return await printResult(board, terminal);
    const isEmpty = board.models.length === 0;
    const text = isEmpty
      ? 'No stored run has a winner. Run `truecast ensemble run` first.'
      : `${toTable('model', board.models)}\n\n${toTable('member', board.agents)}`;
    printText(`${text}\n`, terminal);
  });
}

function toTable(noun: string, rows: readonly LeaderboardRow[]): string {
  const lines = rows.map(({ name, plays, wins }) => {
    const { rate, low, high } = estimateRate(wins, plays);
    const [value, from, to] = [rate, low, high].map((share) => Math.round(share * 100));
    return [name, String(wins), String(plays), `${value} %`, `${from}–${to} %`];
  });
  return renderTable([[noun, 'wins', 'plays', 'rate', '95 % interval'], ...lines], {
    rightAligned: [1, 2, 3, 4],
  });
}
