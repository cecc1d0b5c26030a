/** Owns the receipt of a request, made of the rows of its turn at its end. Pure. */
import { sumUsage, type Usage } from '../../errors/usage.ts';
import type { OutcomePart } from '../contract/parts.ts';
import type { Mechanism, Receipt, ReceiptUsage, RequestError } from '../contract/receipt.ts';
import type { MessageRow } from '../contract/rows.ts';
import { activeRequest, type ActiveRequest } from '../format/active-request.ts';
import { currentTurn, stepsOf } from '../contract/turn-rows.ts';

/** How a turn with a request ended. */
export type RequestEnding =
  | { readonly type: 'accepted' }
  | { readonly type: 'failed'; readonly error: RequestError }
  | { readonly type: 'canceled'; readonly error: RequestError };

/** What the rows do not tell. */
export interface EndingFacts {
  readonly requestId: string;
  readonly schemaHash: string;
  /** The hash of the accepted answer's text; see `acceptedText`. */
  readonly valueHash?: string;
  readonly durationMs: number;
}

/** What is committed with the ending, in one transaction: the receipt, and the part of a row that only clients see. */
export interface EndedRequest {
  readonly receipt: Receipt;
  readonly outcome: OutcomePart;
}

/** Returns the text of the answer that was accepted in the current turn, to be hashed; undefined where there is none. */
export function acceptedText(rows: readonly MessageRow[]): string | undefined {
  const active = activeRequest(rows);
  return active.type === 'accepted' ? active.answer.valueText : undefined;
}

/** Makes the receipt. There is no success without an accepted answer in the rows: that is a failure of the server's own. */
export function endRequest(
  rows: readonly MessageRow[],
  ending: RequestEnding,
  facts: EndingFacts,
): EndedRequest {
  const active = activeRequest(rows);
  const base = receiptBase(rows, active, facts);
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
  message: 'The turn ended without an answer that was accepted. Ask again.',
};

/** The error of a request that was ended from outside, or whose model could not be asked. */
export function endingError(
  code: Exclude<RequestError['code'], 'structured_output_not_produced' | 'configuration_error'>,
): RequestError {
  return { code, message: ENDINGS[code] };
}

const ENDINGS = {
  generation_failed:
    "The model's service could not be asked, also after waiting. Ask again later, or choose another model.",
  interrupted: 'The turn was interrupted. Send the message again.',
  superseded: 'The message was edited. Ask for the request of its new version.',
  queue_deleted: 'The message was taken out of the queue before it ran. Send it again.',
  chat_deleted: 'The chat was deleted. Send the message to another one.',
} as const satisfies Readonly<Record<string, string>>;

type ReceiptBase = Pick<
  Receipt,
  'request_id' | 'schema_hash' | 'attempts' | 'mechanism' | 'model' | 'usage' | 'duration_ms'
>;

function receiptBase(
  rows: readonly MessageRow[],
  active: ActiveRequest,
  { requestId, schemaHash, durationMs }: EndingFacts,
): ReceiptBase {
  const base = { request_id: requestId, schema_hash: schemaHash, attempts: [], duration_ms: durationMs };
  if (active.type !== 'open' && active.type !== 'accepted') return base;
  // A request that was still in the queue has no turn; the rows are those of another.
  if (active.request.requestId !== requestId) return base;
  const steps = stepsOf(currentTurn(rows) ?? []).flatMap(({ step }) => (step === undefined ? [] : [step]));
  const usage = sumUsage(steps.map((step) => step.usage));
  const mechanism: Mechanism | undefined = steps.findLast((step) => step.mechanism !== undefined)?.mechanism;
  const model = steps.at(-1)?.model;
  return {
    ...base,
    attempts: active.request.attempts,
    ...(mechanism !== undefined && { mechanism }),
    ...(model !== undefined && { model }),
    ...(usage !== undefined && { usage: toReceiptUsage(usage) }),
  };
}

function toReceiptUsage(usage: Usage): ReceiptUsage {
  const { inputTokens, outputTokens, cacheCreationInputTokens, cacheReadInputTokens, costUsd } = usage;
  return {
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    cache_creation_input_tokens: cacheCreationInputTokens,
    cache_read_input_tokens: cacheReadInputTokens,
    ...(costUsd !== undefined && { cost_usd: costUsd }),
  };
}
