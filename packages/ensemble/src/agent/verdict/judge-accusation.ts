/**
 * Decides an accusation in a `versus`: the model accuses, code decides if it is right and who wins.
 * Pure.
 */
import type { Teams } from '../../scenario/contest-form.ts';

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
export function judgeAccusation(accused: string, teams: Teams, hidden: string): Accusation {
  const others = Object.keys(teams).filter((label) => label !== hidden);
  const correct = (teams[hidden] ?? []).includes(accused);
  const [only = null] = others.length === 1 ? others : [];
  return { accused, correct, winner: correct ? only : hidden };
}
