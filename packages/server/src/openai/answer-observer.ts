/** Observer of one `/v1` answer: its route, model, outcome, usage and duration, never its content. */
import { parseAgentModel } from './answer/answer-agent.ts';
import { AGENT_PREFIX } from '../models/observed-agent.ts';
import type { ObservedAnswer } from '../contract/observed-work.ts';
import type { WireOutcome } from './wire/wire-answer.ts';
import type { WireRequest } from './wire/wire-request.ts';

/** Reports the outcome. `request` is absent if the request was refused before its model was found. */
export type ObserveAnswer = (outcome: WireOutcome, request?: WireRequest) => void;

/** Starts to measure an answer. */
export function answerObserver(
  onAnswer: ((answer: ObservedAnswer) => void) | undefined,
  about: Pick<ObservedAnswer, 'route' | 'origin'>,
): ObserveAnswer {
  const startedMs = performance.now();
  return (outcome, request) => {
    onAnswer?.({
      ...about,
      ...(request !== undefined && { model: modelName(request.model) }),
      ...outcomeFacts(outcome),
      isStreamed: request?.isStreamed ?? false,
      durationMs: performance.now() - startedMs,
    });
  };
}

/** The text after an agent's name comes from the caller, and is removed. */
function modelName(model: string): string {
  return model.startsWith(AGENT_PREFIX) ? `${AGENT_PREFIX}${parseAgentModel(model).agent}` : model;
}

function outcomeFacts(outcome: WireOutcome): Pick<ObservedAnswer, 'outcome' | 'status' | 'usage'> {
  const { usage } = outcome.type === 'answered' ? outcome : outcome.failure;
  const counted = usage === undefined ? {} : { usage };
  if (outcome.type === 'answered') return { outcome: 'ok', status: 200, ...counted };
  const { code, status } = outcome.failure;
  return { outcome: code, status, ...counted };
}
