/** State shared by the steps of one turn run, and the parts of a model call that come from it. */
import type { Climb } from '@truecast/model/internal/ladder/climb';
import type { WorkOrigin } from '../contract/observed-work.ts';
import type { ChatModel } from '../models/chat-model.ts';
import type { CallObserver } from '../models/observed-step.ts';
import type { StepRequest } from '../models/step-request.ts';
import type { PacedCaller } from '../pacing/fair-waiters.ts';
import type { CallWait } from '../pacing/model-pacing.ts';
import type { Fence } from '../state/rows/chat-update.ts';
import type { ToolCallResult } from '../state/rows/tool-ledger.ts';
import type { PreparedTurn } from './prepare-turn.ts';
import type { TurnPorts } from './turn-ports.ts';
import type { TurnWatch } from './turn-watch.ts';

/**
 * The result for this worker: the turn ended, waits for the client or for a retry, or continues
 * elsewhere.
 */
export type TurnResult = 'ended' | 'waiting' | 'retrying' | 'lost' | 'shutdown';

export type StepResult = 'go-on' | TurnResult;

export interface TurnRun {
  readonly ports: TurnPorts;
  readonly watch: TurnWatch;
  readonly origin: WorkOrigin;
  prepared: PreparedTurn;
  /** The chat's model. Another one answers while it fails. */
  readonly chosenModel: ChatModel;
  /** Models whose service failed in this run. */
  readonly failedModels: Set<string>;
  /** Steps that the service refused. A worker that takes over learns them again, except from a retry. */
  climb: Climb;
  fence: Fence;
  /** The wait of the next model call, if it waited for the model. */
  wait?: CallWait | undefined;
  /** Partial results of calls stopped by an interruption. Committed with the end of the turn. */
  toldWhenStopped: readonly ToolCallResult[];
  /** True after the provider reported that the conversation is too long. */
  isTooLong: boolean;
  /** Compactions since the last committed step. */
  compactions: number;
}

/**
 * Returns the caller of a model, whose chat counts as one request.
 *
 * @param model - the server's name of the model. @default the turn's
 */
export function pacedCaller(
  { fence: { chatId }, origin, prepared }: Pick<TurnRun, 'fence' | 'origin' | 'prepared'>,
  model: string = prepared.model.id,
): PacedCaller {
  return { model, owner: origin.ownerId, request: chatId };
}

/** Limits of every call, summaries included. */
export function boundsOf({
  silenceMs,
  maxReplyBytes,
}: TurnPorts): Pick<StepRequest, 'silenceMs' | 'maxReplyBytes'> {
  return {
    ...(silenceMs !== undefined && { silenceMs }),
    ...(maxReplyBytes !== undefined && { maxReplyBytes }),
  };
}

/** Observer of a turn's calls. A call that waits for its model releases the turn's slot. */
export function callerOf({ ports, origin, wait }: TurnRun): CallObserver {
  const { onModelCall: onCall, trace, whileWaiting } = ports;
  return { onCall, origin, trace, whileWaiting, wait };
}
