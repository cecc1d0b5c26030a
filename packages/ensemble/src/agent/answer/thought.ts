/** Reasoning of a model: found before its answer, and used as the field `thought`. Pure. */
import { clip } from '@truecast/core/internal/kit/describe-value';
import type { EventContractOptions } from '@truecast/core/internal/event-contract/event-options';
import { reasoningTags } from '@truecast/core/internal/output/candidates/control-tokens';
import type { EventAnswer } from './event-question.ts';

/**
 * Returns the text after the first opening mark, up to the next closing mark of the same name or
 * the end.
 */
export function reasoningIn(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const tags = reasoningTags(text);
  const opening = tags.find(({ isClosing }) => !isClosing);
  if (opening === undefined) return undefined;
  const closing = tags.find(
    ({ name, isClosing, start }) => isClosing && name === opening.name && start >= opening.end,
  );
  const inside = text.slice(opening.end, closing?.start).trim();
  return inside === '' ? undefined : inside;
}

const FIELD = 'thought';
const MAX_CHARS = 600;

/** Fills a requested but empty `thought` with the model's reasoning. */
export function withThought(answer: EventAnswer, { extraFields = [] }: EventContractOptions): EventAnswer {
  if (answer.type !== 'event' || answer.reasoning === undefined || !extraFields.includes(FIELD)) {
    return answer;
  }
  const given = answer.payload[FIELD];
  if (typeof given === 'string' && given.trim() !== '') return answer;
  const shown = clip(answer.reasoning.trim(), MAX_CHARS);
  return shown === '' ? answer : { ...answer, payload: { ...answer.payload, [FIELD]: shown } };
}
