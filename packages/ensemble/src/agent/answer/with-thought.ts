/** Fills the `thought` field for models whose reasoning is separate from the answer. Pure. */
import type { EventContractOptions } from '@truecast/core/internal/event-contract/event-options';
import type { EventAnswer } from './event-question.ts';

const FIELD = 'thought';
const MAX_CHARS = 600;

/** Fills a requested but empty `thought` with the model's reasoning. */
export function withThought(answer: EventAnswer, { extraFields = [] }: EventContractOptions): EventAnswer {
  if (answer.type !== 'event' || answer.reasoning === undefined || !extraFields.includes(FIELD))
    return answer;
  const given = answer.payload[FIELD];
  if (typeof given === 'string' && given.trim() !== '') return answer;
  const thought = answer.reasoning.trim();
  const shown = thought.length > MAX_CHARS ? `${thought.slice(0, MAX_CHARS - 1)}…` : thought;
  return shown === '' ? answer : { ...answer, payload: { ...answer.payload, [FIELD]: shown } };
}
