/** End of a turn: commits it with the receipt of the request, if any, computed from the rows. */
import {
  acceptedText,
  endingError,
  endRequest,
  type RequestEnding as PureEnding,
} from '../turn/end-request.ts';
import { sha256 } from './sha256.ts';
import type { RequestError } from '@truecast/client/internal/wire/receipt';
import { isConnectedName } from '../models/connected-name.ts';
import type { StepMessage } from '../state/rows/append-messages.ts';
import type { ChatError } from '../state/rows/chat-records.ts';
import type { ReceiptEnding } from '../state/rows/ending-of-turn.ts';
import type { InterruptionFinish, TurnFinish } from '../state/turn-commits.ts';
import type { Decision } from '../turn/decide.ts';
import { withMessages, type LoadedTurn } from './load-turn.ts';
import type { TurnRun } from './turn-run.ts';

type LastStep = Omit<TurnFinish, 'ending'>;

/** Ends a completed turn. `step` is its last step, if it is not committed yet. */
export async function endFinishedTurn(run: TurnRun, turn: LoadedTurn, step?: LastStep): Promise<void> {
  const ending = endingOf(turn, { type: 'accepted' });
  await run.ports.machine.finishTurn(run.fence, { ...step, ...ending });
}

/**
 * Ends a turn that reached a limit or cannot continue. After a failed request the chat accepts the
 * next message. `step` is its last step, if it is not committed yet.
 */
export async function endFailedTurn(
  run: TurnRun,
  turn: LoadedTurn,
  { error, chatStatus }: Extract<Decision, { readonly type: 'fail' }>,
  step?: LastStep,
): Promise<void> {
  const ending = { ...step, ...endingOf(turn, { type: 'failed', error }) };
  if (chatStatus === 'waiting') await run.ports.machine.finishTurn(run.fence, ending);
  else {
    const told = { kind: 'config', message: error.message, isRetryable: false };
    await run.ports.machine.failTurn(run.fence, { ...ending, error: told });
  }
}

/** Ends a turn after a model failure. The receipt has the same reason as the chat. */
export async function failAsked(run: TurnRun, turn: LoadedTurn, error: ChatError): Promise<void> {
  const { message } = error;
  const ending = endingOf(turn, { type: 'failed', error: { code: 'generation_failed', message } });
  await run.ports.machine.failTurn(run.fence, { ...ending, error });
}

/** Ends a turn whose model is unusable, at its start or after a wait. */
export async function failUnusable(
  { ports, fence }: Pick<TurnRun, 'ports' | 'fence'>,
  turn: LoadedTurn,
  why: string,
): Promise<void> {
  const isGone = isConnectedName(turn.chat.model);
  const ending = endingOf(turn, { type: 'failed', error: isGone ? NOT_CONNECTED : UNUSABLE });
  const message = isGone ? why : `The chat's model cannot be used. ${why}`;
  const kind = isGone ? 'not_connected' : 'config';
  await ports.machine.failTurn(fence, { ...ending, error: { kind, message, isRetryable: false } });
}

const NOT_CONNECTED: RequestError = {
  code: 'configuration_error',
  message: "The chat's model is not connected to this process. Connect it again, or choose another one.",
};

const UNUSABLE: RequestError = {
  code: 'configuration_error',
  message: "The chat's model cannot be used. Choose another one.",
};

/** Ends the turn before its next model call if a budget is spent. Returns true if it ended. */
export async function endIfSpent({ ports, fence }: TurnRun, turn: LoadedTurn): Promise<boolean> {
  const spent = await ports.machine.spentBudget(turn.chat.ownerId);
  if (spent === undefined) return false;
  const error: RequestError = { code: 'quota_exceeded', message: spent.message };
  const ending = endingOf(turn, { type: 'failed', error });
  const told = { kind: 'quota', message: spent.message, isRetryable: false };
  await ports.machine.failTurn(fence, { ...ending, error: told });
  return true;
}

/** Ends an interrupted turn. Streamed text and partial results of stopped calls are kept. */
export async function endInterrupted(
  run: Pick<TurnRun, 'ports' | 'fence'>,
  turn: LoadedTurn,
  kept: Omit<InterruptionFinish, 'ending'>,
): Promise<void> {
  const { results = [], messages = [] } = kept;
  const stopped: StepMessage = { role: 'tool', parts: results.map(({ part }) => part) };
  // The receipt includes the usage of the stopped work.
  const after = withMessages(turn, results.length === 0 ? messages : [stopped, ...messages]);
  const ending = endingOf(after, { type: 'canceled', error: endingError('interrupted') });
  await run.ports.machine.finishInterruption(run.fence, { ...kept, ...ending });
}

/** Computes the ending of the turn's request, if it has one. */
function endingOf({ request, view }: LoadedTurn, how: PureEnding): { readonly ending?: ReceiptEnding } {
  if (request === undefined) return {};
  const text = acceptedText(view);
  const { receipt } = endRequest(view, how, {
    requestId: request.requestId,
    schemaHash: request.receipt.schema_hash,
    durationMs: 0,
    ...(text !== undefined && { valueHash: sha256(text) }),
  });
  // The state machine adds ids, the schema's hash and the duration.
  const {
    request_id: _id,
    schema_hash: _hash,
    duration_ms: _duration,
    value: _value,
    status,
    ...rest
  } = receipt;
  return { ending: { ...rest, status: status === 'succeeded' || status === 'canceled' ? status : 'failed' } };
}
