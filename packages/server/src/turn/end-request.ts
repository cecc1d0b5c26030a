/** Computes the receipt of a request from the rows of the turn. Pure. */
import type { Known } from '@truecast/core/internal/shape/shape';
import { sumUsage, type Usage } from '@truecast/core/internal/kit/usage';
import { fromReceiptUsage, toReceiptUsage } from '../contract/receipt.ts';
import type { OutcomePart } from '@truecast/client/internal/wire/message-parts';
import type { Receipt, ReceiptMode, RequestError } from '@truecast/client/internal/wire/receipt';
import type { MessageRow } from '../contract/rows.ts';
import type { TurnView } from '../format/turn-view.ts';
import { stepsOf } from '../contract/turn-rows.ts';

/** Ending of a turn with a request. */
export type RequestEnding =
  | { readonly type: 'accepted' }
  | { readonly type: 'failed'; readonly error: RequestError }
  | { readonly type: 'canceled'; readonly error: RequestError };

/** Inputs that the rows do not contain. */
export interface EndingFacts {
  readonly requestId: string;
  readonly schemaHash: string;
  /** Hash of the accepted answer's text. See `acceptedText`. */
  readonly valueHash?: string;
  readonly durationMs: number;
}

/**
 * The receipt, and a message part for clients only. Committed in one transaction with the ending.
 */
export interface EndedRequest {
  readonly receipt: Receipt;
  readonly outcome: OutcomePart;
}

/**
 * Returns the text of the accepted answer in the current turn, to be hashed. Undefined if there is
 * none.
 */
export function acceptedText({ activeRequest: active }: TurnView): string | undefined {
  return active.type === 'accepted' ? active.answer.valueText : undefined;
}

/**
 * Builds the receipt. A success without an accepted answer in the rows is a server fault and
 * becomes a failure.
 */
export function endRequest(view: TurnView, ending: RequestEnding, facts: EndingFacts): EndedRequest {
  const { activeRequest: active } = view;
  const base = receiptBase(view, facts);
  if (ending.type === 'accepted' && active.type === 'accepted') {
    const { value, valueText, isExact } = active.answer;
    const hash = facts.valueHash === undefined ? {} : { value_hash: facts.valueHash };
    const answer = { value, value_text: valueText, numbers_exact: isExact, ...hash };
    return {
      receipt: { ...base, status: 'succeeded', ...answer },
      outcome: { type: 'outcome', request_id: facts.requestId, status: 'succeeded' },
    };
  }
  const status = ending.type === 'canceled' ? 'canceled' : 'failed';
  const error = ending.type === 'accepted' ? NO_ANSWER : ending.error;
  return {
    receipt: { ...base, status, error },
    outcome: { type: 'outcome', request_id: facts.requestId, status, error },
  };
}

const NO_ANSWER: RequestError = {
  code: 'generation_failed',
  message: 'The turn ended without an accepted answer. Send the message again.',
};

/** Codes whose message depends on the reason. */
type CodeWithReason = 'structured_output_not_produced' | 'configuration_error' | 'quota_exceeded';

/** Returns the error of a request that was ended from outside, or whose model failed. */
export function endingError(code: Exclude<Known<RequestError['code']>, CodeWithReason>): RequestError {
  return { code, message: ENDINGS[code] };
}

const ENDINGS = {
  generation_failed:
    "The calls of the model's service failed, even after retries. Try again later, or choose another model.",
  deadline_exceeded:
    'The request reached its deadline before it had an answer. Set a later deadline, or ask for less in one message.',
  internal:
    "The server could not run the turn, even after retries, or a stored row of the chat cannot be read. Send the message in a new chat. The server's log has the cause.",
  interrupted: 'The turn was interrupted. Send the message again.',
  superseded: 'The message was edited. Read the request of its new version.',
  queue_deleted: 'The message was removed from the queue before it ran. Send it again.',
  chat_deleted: 'The chat was deleted. Send the message to another one.',
} as const satisfies Readonly<Record<string, string>>;

type ReceiptBase = Pick<
  Receipt,
  'request_id' | 'schema_hash' | 'attempts' | 'mode' | 'model' | 'dialect' | 'usage' | 'duration_ms'
>;

function receiptBase(
  { turn, activeRequest: active }: TurnView,
  { requestId, schemaHash, durationMs }: EndingFacts,
): ReceiptBase {
  const base = { request_id: requestId, schema_hash: schemaHash, attempts: [], duration_ms: durationMs };
  if (active.type !== 'open' && active.type !== 'accepted') return base;
  // A queued request has no turn. The rows belong to another request.
  if (active.request.requestId !== requestId) return base;
  const steps = stepsOf(turn ?? []).flatMap(({ step }) => (step === undefined ? [] : [step]));
  const usage = sumUsage([...steps.map((step) => step.usage), ...usageOfTools(turn ?? [])]);
  const mode: ReceiptMode | undefined = steps.findLast((step) => step.mode !== undefined)?.mode;
  const { model, dialect } = steps.at(-1) ?? {};
  return {
    ...base,
    attempts: active.request.attempts,
    ...(mode !== undefined && { mode }),
    ...(model !== undefined && { model }),
    ...(dialect !== undefined && { dialect }),
    ...(usage !== undefined && { usage: toReceiptUsage(usage) }),
  };
}

/** Returns the usage of coding agents that the turn called as tools, without copies of a compaction. */
function usageOfTools(rows: readonly MessageRow[]): readonly Usage[] {
  return rows
    .filter(({ role, isCompressed }) => role === 'tool' && !isCompressed)
    .flatMap(({ parts }) => parts)
    .flatMap((part) =>
      part.type === 'tool_result' && part.usage !== undefined ? [fromReceiptUsage(part.usage)] : [],
    );
}
