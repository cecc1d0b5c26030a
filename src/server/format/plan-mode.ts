/** Owns that plan mode and a request exclude each other: both say when a turn is over, and they say different things. Pure. */
import type { MessageRow } from '../contract/rows.ts';
import { currentTurn } from '../contract/turn-rows.ts';
import { activeRequest } from './active-request.ts';
import type { FormatProblem } from './format-problem.ts';

/** Returns the problem of a message that has a format and would run in plan mode; its own choice goes before the chat's. */
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

/** Tells whether the current turn runs in plan mode. */
export function isPlanTurn(rows: readonly MessageRow[], chatPlanMode: boolean): boolean {
  return currentTurn(rows)?.[0].planMode ?? chatPlanMode;
}

/** Tells whether plan mode may be switched on for a chat with these rows and requests in its queue. */
export function mayEnterPlanMode(rows: readonly MessageRow[], queuedRequests: number): boolean {
  const { type } = activeRequest(rows);
  return queuedRequests === 0 && (type === 'none' || type === 'closed');
}
