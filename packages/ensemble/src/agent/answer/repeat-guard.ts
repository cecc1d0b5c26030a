/**
 * Guard against repeated lines: an answer that repeats an earlier line is requested once more, then
 * its turn is skipped.
 */
import { CONDUCTOR } from '../../ledger/event-kinds.ts';
import type { LedgerEvent } from '../../ledger/ledger-event.ts';
import { askOnce } from './answer-ladder.ts';
import type { EventAnswer, EventQuestion } from './event-question.ts';

const COMPARED_LINES = 12;
/** Shorter lines can be repeated: `Yes.`, `I disagree.` */
const LEAST_WORDS = 4;

/** Returns the answer, another one, or a skipped turn. */
export async function withoutRepetition(answer: EventAnswer, question: EventQuestion): Promise<EventAnswer> {
  const repeated = repeatedLine(answer, question.turn.visible);
  if (answer.type === 'skipped' || repeated === undefined) return answer;
  const again: EventQuestion = {
    ...question,
    promptFor: (path, notes = []) => question.promptFor(path, [...notes, NEW_LINE]),
  };
  const second = await askOnce(again, answer.provenance.path);
  if (second?.type === 'event' && repeatedLine(second, question.turn.visible) === undefined) {
    return { ...second, provenance: { ...second.provenance, repeatReAsked: true } };
  }
  const { model } = answer;
  const provenance = { ...answer.provenance, repeatReAsked: true };
  const reason = `The model repeated the line of ${repeated.actor} in turn ${repeated.turn}, twice.`;
  return { type: 'skipped', reason, provenance, model };
}

const NEW_LINE = [
  'REPETITION',
  'You have just answered with a line that was already said. Answer with something new.',
].join('\n');

function repeatedLine(answer: EventAnswer, visible: readonly LedgerEvent[]): LedgerEvent | undefined {
  const words = answer.type === 'event' ? wordsIn(answer.payload.text) : [];
  if (words.length < LEAST_WORDS) return undefined;
  return visible
    .filter(({ actor, payload }) => actor !== CONDUCTOR && typeof payload['text'] === 'string')
    .slice(-COMPARED_LINES)
    .findLast(({ payload }) => wordsIn(String(payload['text'])).join(' ') === words.join(' '));
}

function wordsIn(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}
