/** Mutual exclusion of plan mode and requests: each defines the end of a turn differently. Pure. */
import type { FormatProblem } from './format-problem.ts';

/**
 * Returns the problem of a message with a format that would run in plan mode. Its own setting
 * overrides the chat's.
 */
export function planModeProblem(message: {
  readonly chatPlanMode: boolean;
  readonly messagePlanMode?: boolean | undefined;
  readonly hasFormat: boolean;
}): FormatProblem | undefined {
  if (!message.hasFormat || !(message.messagePlanMode ?? message.chatPlanMode)) return undefined;
  return {
    field: 'response_format',
    detail:
      'Cannot be combined with plan mode, which ends with a plan. Send "plan_mode": false with the message, or leave the format out.',
  };
}
