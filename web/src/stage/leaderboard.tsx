/** Leaderboard of models and members over the runs that the list has loaded. */
import type { ReactNode } from 'react';
import { leaderboardOf, type LeaderboardRow } from '@truecast/ensemble/internal/projections/leaderboard';
import type { EnsembleRunView } from '@truecast/client/internal/wire/ensemble';
import { countText, plural } from '../parts/format.ts';

/** Below this number of plays, rates are not meaningful. */
const FEW_PLAYS = 20;

/** Renders both tables. Renders nothing if no run was won. */
export function LeaderboardTable({ runs }: { readonly runs: readonly EnsembleRunView[] }): ReactNode {
  const { models, agents } = leaderboardOf(runs.map(toSummary));
  const won = runs.filter(isWon).length;
  if (models.length === 0) return null;
  return (
    <section aria-label="Leaderboard" className="mt-10">
      <h2 className="font-semibold">Leaderboard</h2>
      <p className="mb-3 text-sm text-muted">
        {plural(won, 'run')} with a winner among those above. Judges and observers do not play.
      </p>
      <div className="grid gap-6 @2xl:grid-cols-2">
        <Table name="Model" rows={models} />
        <Table name="Member" rows={agents} />
      </div>
    </section>
  );
}

interface TableProps {
  readonly name: string;
  readonly rows: readonly LeaderboardRow[];
}

function Table({ name, rows }: TableProps): ReactNode {
  return (
    <table className="panel h-fit w-full table-fixed border-separate border-spacing-0">
      <thead>
        <tr className="text-left text-sm text-muted">
          <th className="w-[46%] px-4 py-2 font-normal">{name}</th>
          <th className="px-2 py-2 text-right font-normal">Wins</th>
          <th className="px-2 py-2 text-right font-normal">Plays</th>
          <th className="px-4 py-2 text-right font-normal">Rate</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.name}>
            <th className="truncate border-t border-line px-4 py-2 text-left font-medium" title={row.name}>
              {row.name}
            </th>
            <td className="border-t border-line px-2 py-2 text-right">{countText(row.wins)}</td>
            <td className="border-t border-line px-2 py-2 text-right">{countText(row.plays)}</td>
            <td className="border-t border-line px-4 py-2 text-right text-muted">
              {row.plays < FEW_PLAYS ? 'few' : `${Math.floor(row.rate * 100)} %`}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

type Summary = Parameters<typeof leaderboardOf>[0][number];

function toSummary(run: EnsembleRunView): Summary {
  const { run_id, scenario, seed, cast, competition, started_at, ended_at, reason, winner } = run;
  return {
    runId: run_id,
    scenario,
    seed,
    competition: competition ?? 'none',
    cast,
    startedAt: started_at,
    ...(ended_at !== undefined && {
      end: {
        finishedAt: ended_at,
        reason: reason ?? '',
        winner: winner ?? null,
        winnerKind: null,
        winners: run.winners ?? [],
        winningModels: run.winning_models ?? [],
        turns: 0,
      },
    }),
  };
}

/** Returns true for a run that counts as a play of its cast. */
function isWon({ winner, competition }: EnsembleRunView): boolean {
  return winner !== undefined && competition !== undefined;
}
