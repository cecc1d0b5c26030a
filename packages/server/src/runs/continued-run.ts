/** Follow-up of a run that has ended: its inherited session and prompts, and its own prompt. Pure. */
import { z } from 'zod';
import type { RUN_RELATIONS } from '@truecast/client/internal/wire/wire-codes';
import type { CreateAgentRunBody } from '@truecast/client/internal/wire/runs/agent-run';
import { otherOutcomeIn } from './other-outcome.ts';

/** How a run follows its parent. */
export type RunRelation = (typeof RUN_RELATIONS)[number];

/** Inheritance from earlier runs. */
export interface ContinuedRun {
  /** Session of the agent. Absent if the agent reported none. */
  readonly sessionId?: string;
  /** Prompts of the earlier runs, for an agent without their session. */
  readonly prompt: string;
  /** JSON of the question that the new prompt answers. */
  readonly question?: string;
}

export const continuedRun: z.ZodType<ContinuedRun> = z.object({
  sessionId: z.string().exactOptional(),
  prompt: z.string(),
  question: z.string().exactOptional(),
});

/** Facts of a run that has ended. */
interface EndedRun {
  readonly request: Pick<CreateAgentRunBody, 'prompt' | 'response_format'>;
  readonly continued?: ContinuedRun;
  readonly sessionId?: string;
  readonly valueText?: string;
}

/** Maximum length of a prompt that repeats earlier ones. The oldest part is left out. */
const MAX_PROMPT_CHARS = 262_144;

/** Returns the inheritance of the next run. */
export function continuationOf({ request, continued, sessionId, valueText }: EndedRun): ContinuedRun {
  // A run that ended before its agent started has the session of the run before.
  const session = sessionId ?? continued?.sessionId;
  const outcome = otherOutcomeIn(request.response_format, valueText);
  const prompts = continued === undefined ? request.prompt : `${continued.prompt}\n\n${request.prompt}`;
  return {
    prompt: prompts.slice(-MAX_PROMPT_CHARS).toWellFormed(),
    ...(session !== undefined && { sessionId: session }),
    ...(outcome?.kind === 'question' && { question: JSON.stringify(outcome.value) }),
  };
}

/** Returns the prompt of the agent. `hasSession`: it remembers the earlier runs. */
export function continuedPrompt(
  message: string,
  { prompt, question }: ContinuedRun,
  { hasSession }: { readonly hasSession: boolean },
): string {
  const next =
    question === undefined ? message : `The answer to your question: ${message}\n\nContinue with the task.`;
  if (hasSession) return next;
  const asked = question === undefined ? '' : ` You asked a person: ${question}`;
  return `${prompt}\n\nYou have begun this task before, and your work is here.${asked}\n\n${next}`;
}
