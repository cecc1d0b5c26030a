/**
 * Turn view: the rows of one load, and the facts about them that every step of the turn needs.
 * Derived once per load. Pure.
 */
import type { MessageRow } from '../contract/rows.ts';
import { currentTurn, type TurnRows } from '../contract/turn-rows.ts';
import { activeRequest, type ActiveRequest } from './active-request.ts';

/** A chat's rows with the current turn and its request. */
export interface TurnView {
  /** All rows of the chat, in ascending order. */
  readonly rows: readonly MessageRow[];
  /** Rows of the current turn. Undefined in a chat without a user message. */
  readonly turn: TurnRows | undefined;
  readonly activeRequest: ActiveRequest;
  /** True if the turn runs in plan mode. */
  readonly isPlan: boolean;
}

/** Derives the view. The setting of the turn's message overrides the chat's plan mode. */
export function turnView(rows: readonly MessageRow[], chat: { readonly planMode: boolean }): TurnView {
  const turn = currentTurn(rows);
  return {
    rows,
    turn,
    activeRequest: activeRequest(turn),
    isPlan: turn?.[0].planMode ?? chat.planMode,
  };
}
