/** Owns what the steps of one run of a turn share. */
import type { Mechanism } from '../contract/receipt.ts';
import type { Fence } from '../state/chat-update.ts';
import type { ToolCallResult } from '../state/tool-ledger.ts';
import type { PreparedTurn } from './prepare-turn.ts';
import type { TurnPorts } from './turn-ports.ts';
import type { TurnWatch } from './turn-watch.ts';

/** What became of the turn for this worker: it ended, it waits for the client, or it goes on elsewhere. */
export type TurnResult = 'ended' | 'waiting' | 'lost' | 'shutdown';

/** What one decision led to. */
export type StepResult = 'go-on' | TurnResult;

/** A run under way. */
export interface TurnRun {
  readonly ports: TurnPorts;
  readonly watch: TurnWatch;
  readonly prepared: PreparedTurn;
  /** What the provider refused; a worker that takes over learns it anew. */
  readonly refusedMechanisms: Mechanism[];
  fence: Fence;
  /** Results of calls that were stopped by an interruption and told how far they came; committed with the end of the turn. */
  toldWhenStopped: readonly ToolCallResult[];
  /** The provider said that the conversation is too long. */
  isTooLong: boolean;
}
