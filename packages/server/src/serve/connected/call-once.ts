/** Test call of a model: one short request, and the typed reason if it fails. */
import { ModelError } from '@truecast/core/internal/errors/model-error';
import { modelsOfService } from '@truecast/model/internal/call/known-models';
import { unreachable } from '@truecast/model/internal/failure/unreachable';
import type { ConnectFailure } from '@truecast/client/internal/wire/model-connection';
import type { ConnectionResult } from '../../models/model-connections.ts';
import type { ChatModel } from '../../models/chat-model.ts';
import { streamStep } from '../../models/stream-step.ts';
import { causeOfFailure, type ModelFailure } from '../../turn/classify-failure.ts';
import type { FailureCause } from '../../turn/failure-causes.ts';
import { failureFacts } from '../../turn/failure-facts.ts';
import { failureMessage } from '../../turn/failure-message.ts';

/** A server on this machine can load its weights first. */
const CALL_MS = 60_000;
/** Some services accept no less. */
const MAX_TOKENS = 16;
/** The reply has a few words. */
export const MAX_TEST_REPLY_BYTES: number = 256 * 1024;

/** The request, and who waits for its end. */
interface TestCall {
  readonly signal: AbortSignal;
  /** Masks the key in the text of a service. */
  readonly mask: (text: string) => string;
  /** @default 60_000 */
  readonly timeoutMs?: number | undefined;
}

/** Why a test call failed. */
type RefusedCall = Extract<ConnectionResult, { readonly type: 'refused' }>;

/** Calls the model as a turn does, without retries. Undefined if it answers. Rejects with the signal's reason. */
export async function callOnce(
  model: ChatModel,
  { signal, mask, timeoutMs = CALL_MS }: TestCall,
): Promise<RefusedCall | undefined> {
  const late = AbortSignal.timeout(timeoutMs);
  try {
    await streamStep({
      model,
      messages: [{ role: 'user', content: 'Reply with the word yes.' }],
      tools: [],
      maxOutputTokens: MAX_TOKENS,
      maxReplyBytes: MAX_TEST_REPLY_BYTES,
      signal: AbortSignal.any([signal, late]),
    });
    signal.throwIfAborted();
    if (!late.aborted) return undefined;
    return await toRefusal({ cause: 'timeout' }, { said: '', model });
  } catch (error) {
    signal.throwIfAborted();
    const said = mask(error instanceof Error ? error.message : String(error));
    return toRefusal(failureOf(error, late.aborted), { said, model });
  }
}

async function toRefusal(
  failure: ModelFailure,
  { said, model: { model } }: { readonly said: string; readonly model: ChatModel },
): Promise<RefusedCall> {
  const cause = causeOfFailure(failure);
  const known = cause === 'unknown-model' ? await modelsOfService(model) : undefined;
  // Text of another service is not repeated: the address can be one of this machine's networks.
  const quoted = cause === 'path' ? '' : said;
  const message = failureMessage({ failure, said: quoted, asked: { model: model.modelId, known }, calls: 1 });
  const field = FIELDS[cause];
  const { statusCode } = failure;
  return {
    type: 'refused',
    reason: toWire(cause),
    message,
    ...(field !== undefined && { field }),
    ...(statusCode !== undefined && { statusCode }),
  };
}

function failureOf(error: unknown, isLate: boolean): ModelFailure {
  if (isLate) return { cause: 'timeout' };
  // A web page, or another service: it is reached, but is not the service of a model.
  if (ModelError.isInstance(error) && error.code === 'http') return { refusal: 'path' };
  const failure = failureFacts(unreachable(error) ?? error);
  // No call follows this one.
  return causeOfFailure(failure) === 'loading' ? { cause: 'still-loading' } : failure;
}

/** The field to correct. */
const FIELDS: Readonly<Partial<Record<FailureCause, string>>> = {
  key: 'api_key',
  access: 'api_key',
  'unknown-model': 'model',
  'no-server': 'address',
  'no-host': 'address',
  'no-answer': 'address',
  tls: 'address',
  address: 'address',
  'not-http': 'address',
  path: 'address',
  unreadable: 'address',
};

type Snake<T extends string> = T extends `${infer THead}-${infer TTail}` ? `${THead}_${Snake<TTail>}` : T;

function toWire(cause: FailureCause): ConnectFailure {
  return cause.replaceAll('-', '_') as Snake<FailureCause>; // the same replacement in types
}
