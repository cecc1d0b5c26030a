/**
 * Decides an accusation in a `versus`: the model accuses, code decides if it is right and who wins.
 * Pure.
 */

/** Members by the label of their team. */
export type Teams = Readonly<Record<string, readonly string[]>>;

/** Fields added to a verdict. */
export interface Accusation {
  /** The player that the model accuses. */
  readonly accused: string;
  readonly correct: boolean;
  /** The winning team's label, or null if more than one team remains. */
  readonly winner: string | null;
}

/**
 * Decides an accusation. It is right if the accused belongs to the hiding team; otherwise that team
 * wins.
 */
export function judgeAccusation(accused: string, teams: Teams): Accusation {
  const hidden = hiddenTeam(teams);
  const others = Object.keys(teams).filter((label) => label !== hidden);
  const correct = hidden !== undefined && (teams[hidden] ?? []).includes(accused);
  const [only = null] = others.length === 1 ? others : [];
  return { accused, correct, winner: correct ? only : (hidden ?? null) };
}

/** The hiding team: the smallest, or the last listed of equal ones. */
function hiddenTeam(teams: Teams): string | undefined {
  const sizes = Object.entries(teams).map(([label, members]) => ({ label, size: members.length }));
  const smallest = Math.min(...sizes.map(({ size }) => size));
  return sizes.findLast(({ size }) => size === smallest)?.label;
}
