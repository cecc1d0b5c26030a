/** Form of a competition: an accusation of a hidden team, or a contest of equal sides. Pure. */
import type { Competition } from './ensemble-scenario.ts';

/** How a verdict is read. */
export type ContestForm =
  /** The judge accuses a player. Code decides which team wins. */
  | { readonly type: 'accusation'; readonly hidden: string; readonly teams: Teams }
  /** The judge names a team. */
  | { readonly type: 'debate'; readonly teams: Teams }
  /** The judge names a player. */
  | { readonly type: 'players' };

/** Members by the label of their team. */
export type Teams = Readonly<Record<string, readonly string[]>>;

/** Returns the form of a competition. A team hides if it is named, or the only smallest one. */
export function formOfContest(competition: Competition): ContestForm {
  if (competition.kind !== 'versus') return { type: 'players' };
  const { teams = {}, hidden = onlySmallest(competition.teams ?? {}) } = competition;
  if (Object.keys(teams).length === 0) return { type: 'players' };
  return hidden === undefined ? { type: 'debate', teams } : { type: 'accusation', hidden, teams };
}

function onlySmallest(teams: Teams): string | undefined {
  const sizes = Object.entries(teams).map(([label, members]) => ({ label, size: members.length }));
  const smallest = Math.min(...sizes.map(({ size }) => size));
  const found = sizes.filter(({ size }) => size === smallest);
  return found.length === 1 && sizes.length > 1 ? found[0]?.label : undefined;
}
