/** Owns the field `thought` of an agent whose model thinks apart from its answer. Pure. */
import type { EventContractOptions } from '../contract/event-options.ts';
import type { EventAnswer } from './event-question.ts';

const FIELD = 'thought';
const MAX_CHARS = 600;

/** Fills a `thought` that was asked for and left empty with what the model thought. */
export function withThought(answer: EventAnswer, { extraFields = [] }: EventContractOptions): EventAnswer {
  if (answer.type !== 'event' || answer.reasoning === undefined || !extraFields.includes(FIELD))
    return answer;
  const given = answer.payload[FIELD];
  if (typeof given === 'string' && given.trim() !== '') return answer;
  const thought = answer.reasoning.trim();
  const shown = thought.length > MAX_CHARS ? `${thought.slice(0, MAX_CHARS - 1)}…` : thought;
  return shown === '' ? answer : { ...answer, payload: { ...answer.payload, [FIELD]: shown } };
}
