/**
 * Resolves a judge's answer: the winner is a player or null, and scores belong to players.
 *
 * unknown name → one more request → a player's name or null → otherwise no contest; the text stays
 * that of the first answer
 */
import { cut } from '@truecast/core/internal/errors/base/describe-value';
import type { Competition } from '../../scenario/ensemble-scenario.ts';
import { askOnce } from '../answer/answer-ladder.ts';
import type { EventAnswer, EventQuestion } from '../answer/event-question.ts';
import { cleanScores } from './clean-scores.ts';
import { findPlayer } from './find-player.ts';
import { judgeAccusation } from './judge-accusation.ts';

/** Input for resolving verdicts. */
export interface VerdictRules {
  readonly competition: Competition;
  /** Names that a verdict can declare: the cast without judges and observers. */
  readonly players: readonly string[];
}

/** Why a verdict that named a winner has none. */
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
  const payload = asked.includes('scores')
    ? { ...given, scores: cleanScores(given['scores'], rules.players) }
    : given;
  if (!asked.includes('winner')) return { ...answer, payload };
  const named = nameIn(given['winner']);
  const winner = winnerOf(named, rules.players);
  if (winner !== undefined) return { ...answer, payload: { ...payload, ...stampOf(winner, rules) } };
  const settled = await askForWinner(answer, question, { ...rules, named: named ?? '' });
  const provenance = { ...answer.provenance, winnerReAsked: true };
  return { ...answer, payload: { ...payload, ...settled }, provenance };
}

/** The name that the model gave. The contract already turned "no one" into null. */
function nameIn(winner: unknown): string | null {
  return typeof winner === 'string' ? winner.trim() : null;
}

/** What small models write instead of null. */
const NO_ONE = /^\W*(?:none|null|nobody|no[\s-]?one|no winner|n\/?a)\W*$/iu;

/** Returns undefined for a name of no player. */
function winnerOf(name: string | null, players: readonly string[]): string | null | undefined {
  if (name === null) return null;
  return findPlayer(name, players) ?? (NO_ONE.test(name) ? null : undefined);
}

/** Fields derived from a known winner. */
function stampOf(winner: string | null, { competition }: VerdictRules): Fields {
  if (competition.kind !== 'versus') return { winner };
  return winner === null ? { winner, accused: null } : { ...judgeAccusation(winner, competition.teams) };
}

async function askForWinner(
  answer: GivenAnswer,
  question: EventQuestion,
  { named, ...rules }: VerdictRules & { readonly named: string },
): Promise<Fields> {
  const correction = correctionOf(named, rules.players);
  const again: EventQuestion = {
    ...question,
    promptFor: (path, notes = []) => question.promptFor(path, [...notes, correction]),
  };
  const { rung } = answer.provenance;
  const path = rung === 'validated' || rung === 'received' ? 'validated' : 'prompted';
  const second = await askOnce(again, path);
  if (second?.type !== 'event') return noContest('re-ask-failed', [named]);
  const name = nameIn(second.payload['winner']);
  const winner = winnerOf(name, rules.players);
  return winner === undefined ? noContest('unknown-winner', [named, name ?? '']) : stampOf(winner, rules);
}

function noContest(reason: NoContest['reason'], rejected: readonly string[]): Fields {
  const told: NoContest = { reason, rejected: rejected.map((name) => cut(name)) };
  return { winner: null, no_contest: told };
}

function correctionOf(named: string, players: readonly string[]): string {
  return [
    'CORRECTION',
    `You gave ${JSON.stringify(cut(named))} as the winner, and that is no player's name. The players: ${players.join(' | ')}.`,
    'Give your answer again and change only `winner`: one of these names, or null.',
  ].join('\n');
}
