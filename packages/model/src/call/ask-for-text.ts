/** Text requests: one reply without validation. */
import type { ModelMessage } from 'ai';
import { ModelError } from '@truecast/core/internal/errors/model-error';
import { priceUsage, type Prices, type Usage } from '@truecast/core/internal/kit/usage';
import { toModelError } from '../failure/to-model-error.ts';
import { askPatiently } from './ask-patiently.ts';
import { toNamedError } from './known-models.ts';
import type { GenerateCall, GenerateModel } from './generate-options.ts';
import { settingsOf, type GivenSettings } from './model-settings.ts';
import { isWithheld, requestReply, type ModelReply } from './model-reply.ts';
import { RUNAWAY } from '../runaway/runaway-reply.ts';

export interface AskForTextOptions extends GivenSettings {
  readonly model: GenerateModel;
  readonly system?: string | undefined;
  readonly prompt: string;
  readonly signal?: AbortSignal | undefined;
  readonly prices?: Prices | undefined;
  /** As in `generate()`: called and awaited for each request. */
  readonly onCall?: ((call: GenerateCall) => void | Promise<void>) | undefined;
}

/** The model's text. */
export interface TextAnswer {
  /** Empty if a content filter withheld the reply, or if it ran away. */
  readonly text: string;
  readonly reasoning?: string;
  /** Absent if the service reported none. */
  readonly usage?: Usage;
  readonly model: string;
  readonly durationMs: number;
}

/**
 * Sends one request. Only transport failures are retried.
 *
 * @throws ModelError if the service fails; errors of `onCall`; the signal's reason
 */
export async function askForText(options: AskForTextOptions): Promise<TextAnswer> {
  const { signal, prices, onCall } = options;
  const { reply, durationMs } = await askPatiently(() => requestOnce(options), {
    signal,
    isFinal: () => false,
  }).catch(async (error: unknown) => {
    signal?.throwIfAborted();
    throw await toNamedError(error, options.model);
  });
  const usage = priceUsage(reply.usage, prices);
  const withheld = isWithheld(reply);
  const thought = reply.reasoningText === '' ? {} : { reasoning: reply.reasoningText };
  const counted = usage === undefined ? {} : { usage };
  const call = { model: reply.modelId, ...counted, durationMs, ...thought };
  const code = withheld ? 'not-produced' : reply.finishReason === RUNAWAY ? 'runaway' : 'ok';
  await onCall?.({ ...call, code });
  return { ...call, text: code === 'ok' ? reply.text : '' };
}

async function requestOnce(
  options: AskForTextOptions,
): Promise<{ readonly reply: ModelReply; readonly durationMs: number }> {
  const { model, system, prompt, signal } = options;
  const messages: ModelMessage[] = [{ role: 'user', content: prompt }];
  if (system !== undefined) messages.unshift({ role: 'system', content: system });
  const startedAtMs = performance.now();
  const elapsedMs = (): number => Math.round(performance.now() - startedAtMs);
  try {
    const reply = await requestReply({ ...settingsOf(options), model, messages, signal });
    return { reply, durationMs: elapsedMs() };
  } catch (error) {
    await tellFailed(options, error, elapsedMs());
    throw error;
  }
}

/** A request that was never sent does not count. */
async function tellFailed(
  { model, signal, prices, onCall }: AskForTextOptions,
  error: unknown,
  durationMs: number,
): Promise<void> {
  const told = toModelError(error);
  const isAborted = signal?.aborted === true;
  if (!isAborted && !ModelError.isInstance(told)) return;
  const usage = priceUsage(ModelError.isInstance(told) ? told.usage : undefined, prices);
  const code = ModelError.isInstance(told) && !isAborted ? told.code : 'aborted';
  await onCall?.({ model: model.modelId, ...(usage !== undefined && { usage }), durationMs, code });
}
