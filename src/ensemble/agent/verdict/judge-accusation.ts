/** Owns what an accusation comes to in a `versus`: the model only accuses, code says whether it is right and who wins by it. Pure. */

/** Members by the label of their team. */
export type Teams = Readonly<Record<string, readonly string[]>>;

/** What is stamped on a verdict. */
export interface Accusation {
  /** Whom the model accuses. */
  readonly accused: string;
  readonly correct: boolean;
  /** The label of a team; null where more than one is left. */
  readonly winner: string | null;
}

/** Judges an accusation: it is right when the accused is of the team that hides; if not, that team wins. */
export function judgeAccusation(accused: string, teams: Teams): Accusation {
  const hidden = hiddenTeam(teams);
  const others = Object.keys(teams).filter((label) => label !== hidden);
  const correct = hidden !== undefined && (teams[hidden] ?? []).includes(accused);
  const [only = null] = others.length === 1 ? others : [];
  return { accused, correct, winner: correct ? only : (hidden ?? null) };
}

/** The team that hides: the smallest; of equals the last that is listed. */
function hiddenTeam(teams: Teams): string | undefined {
  const sizes = Object.entries(teams).map(([label, members]) => ({ label, size: members.length }));
  const smallest = Math.min(...sizes.map(({ size }) => size));
  return sizes.findLast(({ size }) => size === smallest)?.label;
}
