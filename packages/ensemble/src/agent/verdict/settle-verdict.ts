/**
 * Resolves a judge's answer: the winner is a player or null, and scores belong to players.
 *
 * unknown name → one more request → a player's name or null → otherwise no contest; the text stays
 * that of the first answer
 */
import { cut } from '@truecast/core/internal/kit/describe-value';
import type { ContestForm, Teams } from '../../scenario/contest-form.ts';
import { askOnce } from '../answer/answer-ladder.ts';
import type { EventAnswer, EventQuestion } from '../answer/event-question.ts';
import { findPlayer } from './find-player.ts';

/** Input for resolving verdicts. */
export interface VerdictRules {
  readonly form: ContestForm;
  /** The cast without judges and observers. */
  readonly players: readonly string[];
}

/** The names that a judge can answer with: the teams of a debate, otherwise the players. */
export function choicesOf({ form, players }: VerdictRules): readonly string[] {
  return form.type === 'debate' ? Object.keys(form.teams) : players;
}

/** Why a verdict has no winner, although it named one. */
export interface NoContest {
  /**
   * `unknown-winner`: two unknown names. `re-ask-failed`: the second request returned no answer.
   */
  readonly reason: 'unknown-winner' | 're-ask-failed';
  /** The names as received. */
  readonly rejected: readonly string[];
}

type Fields = Readonly<Record<string, unknown>>;
type GivenAnswer = Extract<EventAnswer, { readonly type: 'event' }>;

/**
 * Resolves an answer with at most one more request. Rejects with a refused charge or the signal's
 * reason.
 */
export async function settleVerdict(
  answer: GivenAnswer,
  question: EventQuestion,
  rules: VerdictRules,
): Promise<GivenAnswer> {
  const asked = question.contract.extraFields ?? [];
  const given = answer.payload;
  const scored = [...new Set([...choicesOf(rules), ...rules.players])];
  const payload = asked.includes('scores')
    ? { ...given, scores: cleanScores(given['scores'], scored) }
    : given;
  if (!asked.includes('winner')) return { ...answer, payload };
  const named = nameIn(given['winner']);
  const winner = winnerOf(named, rules);
  if (winner !== undefined) return { ...answer, payload: { ...payload, ...stampOf(winner, rules) } };
  const settled = await askForWinner(answer, question, { ...rules, named: named ?? '' });
  const provenance = { ...answer.provenance, winnerReAsked: true };
  return { ...answer, payload: { ...payload, ...settled }, provenance };
}

/** The name that the model gave. The contract already turned "no one" into null. */
function nameIn(winner: unknown): string | null {
  return typeof winner === 'string' ? winner.trim() : null;
}

/** Strings that small models write instead of null. */
const NO_ONE = /^\W*(?:none|null|nobody|no[\s-]?one|no winner|n\/?a)\W*$/iu;

/** Returns undefined for a name that is not a choice. A player of a debate counts as its team. */
function winnerOf(name: string | null, rules: VerdictRules): string | null | undefined {
  if (name === null) return null;
  const { form, players } = rules;
  const choice = findPlayer(name, choicesOf(rules));
  if (choice !== undefined) return choice;
  const player = form.type === 'debate' ? findPlayer(name, players) : undefined;
  const team = player === undefined ? undefined : teamOf(player, form);
  return team ?? (NO_ONE.test(name) ? null : undefined);
}

function teamOf(player: string, form: ContestForm): string | undefined {
  const teams = form.type === 'debate' ? Object.entries(form.teams) : [];
  return teams.find(([, members]) => members.includes(player))?.[0];
}

/** Fields derived from a known winner. */
function stampOf(winner: string | null, { form }: VerdictRules): Fields {
  if (form.type !== 'accusation') return { winner };
  return winner === null
    ? { winner, accused: null }
    : { ...judgeAccusation(winner, form.teams, form.hidden) };
}

async function askForWinner(
  answer: GivenAnswer,
  question: EventQuestion,
  { named, ...rules }: VerdictRules & { readonly named: string },
): Promise<Fields> {
  const correction = correctionOf(named, choicesOf(rules));
  const again: EventQuestion = {
    ...question,
    promptFor: (path, notes = []) => question.promptFor(path, [...notes, correction]),
  };
  const { rung } = answer.provenance;
  const path = rung === 'validated' || rung === 'received' ? 'validated' : 'prompted';
  const second = await askOnce(again, path);
  if (second?.type !== 'event') return noContest('re-ask-failed', [named]);
  const name = nameIn(second.payload['winner']);
  const winner = winnerOf(name, rules);
  return winner === undefined ? noContest('unknown-winner', [named, name ?? '']) : stampOf(winner, rules);
}

function noContest(reason: NoContest['reason'], rejected: readonly string[]): Fields {
  const told: NoContest = { reason, rejected: rejected.map((name) => cut(name)) };
  return { winner: null, no_contest: told };
}

function correctionOf(named: string, choices: readonly string[]): string {
  return [
    'CORRECTION',
    `You gave ${JSON.stringify(cut(named))} as the winner, and that is not one of the names. The names: ${choices.join(' | ')}.`,
    'Give your answer again and change only `winner`: one of these names, or null.',
  ].join('\n');
}

const LOWEST = 0;
const HIGHEST = 10;

/**
 * Drops scores of unknown players and non-numbers, and clamps the others to 0 to 10. If a name has
 * two spellings, the exact one counts, else the first.
 */
function cleanScores(scores: unknown, players: readonly string[]): Readonly<Record<string, number>> {
  if (typeof scores !== 'object' || scores === null) return {};
  const cleaned = new Map<string, number>();
  for (const [name, score] of Object.entries(scores)) {
    const player = findPlayer(name, players);
    if (player === undefined || typeof score !== 'number' || Number.isNaN(score)) continue;
    if (player === name || !cleaned.has(player)) {
      cleaned.set(player, Math.min(HIGHEST, Math.max(LOWEST, score)));
    }
  }
  return Object.fromEntries(cleaned);
}

/** Fields added to a verdict. */
interface Accusation {
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
function judgeAccusation(accused: string, teams: Teams, hidden: string): Accusation {
  const others = Object.keys(teams).filter((label) => label !== hidden);
  const correct = (teams[hidden] ?? []).includes(accused);
  const [only = null] = others.length === 1 ? others : [];
  return { accused, correct, winner: correct ? only : hidden };
}
