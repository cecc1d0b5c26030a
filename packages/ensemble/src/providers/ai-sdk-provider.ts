/** `aiSdkProvider()`: an AI SDK model as the provider of an agent, through `generate()`. */
import { assertKnownOptions, type OptionNames } from '@truecast/core/internal/options/known-options';
import { describeValue } from '@truecast/core/internal/kit/describe-value';
import type { Prices } from '@truecast/core/internal/kit/usage';
import { StructuredOutputError } from '@truecast/core/internal/errors/structured-output-error';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { askForText } from '@truecast/model/internal/call/ask-for-text';
import { assertCount, assertModel, assertPrices } from '@truecast/model/internal/call/generate-options';
import type { GenerateCall, GenerateModel, ModelSettings } from '@truecast/model';
import { assertModelSettings, SETTING_NAMES } from '@truecast/model/internal/call/model-settings';
import { generateWith } from '@truecast/model/internal/generate';
import { ANSWER_MODES } from '@truecast/model/internal/call/answer-modes';
import { FOUND_IN_TEXT } from '@truecast/core/internal/output/judge/judge-leniently';
import type { CandidateReader } from '@truecast/core/internal/output/candidates/lenient-candidates';
import { Output } from '@truecast/core/internal/output/output';
import type { EventContractOptions } from '@truecast/core/internal/event-contract/event-options';
import { textOf } from '../ledger/fold.ts';
import { readWords } from './read-words.ts';
import type { Provider, ProviderRequest, StructuredCompletion, StructuredRequest } from './provider.ts';

/** Options of `aiSdkProvider`. */
export interface AiSdkProviderOptions extends ModelSettings {
  /** Token prices. Needed for budgets in money. */
  readonly prices?: Prices;
  /** Further attempts when an answer is invalid. @default 2 */
  readonly maxRetries?: number;
  /**
   * How an answer is requested: by the service's schema mode, by a tool, or as JSON. `auto` starts
   * with the best that the model supports, and learns from refusals. @default "auto"
   */
  readonly mode?: 'auto' | 'native' | 'tool' | 'json';
}

const DEFAULT_MAX_RETRIES = 2;

/**
 * Creates a provider from an AI SDK model. It validates answers by the model's best mode, or
 * prompts for text. Needs the package `ai`.
 *
 * Transport failures are retried as in `generate()`.
 *
 * @throws UsageError `invalid-option` for an invalid model, an unknown `mode`, or a `maxRetries`
 *   that is not a count
 * @example
 * ```ts
 * const provider = aiSdkProvider(openAICompatible({ baseURL: 'http://localhost:11434/v1', model: 'qwen3:8b' }), { temperature: 0.8 });
 * ```
 */
export function aiSdkProvider(model: GenerateModel, options: AiSdkProviderOptions = {}): Provider {
  assertModel(model);
  assertKnownOptions(options, { of: '`aiSdkProvider()`', names: OPTION_NAMES });
  assertCount('maxRetries', options.maxRetries, 0);
  assertModelSettings(options);
  assertMode(options.mode);
  if (options.prices !== undefined) assertPrices(options.prices);
  return {
    model: model.modelId,
    complete: ({ system, prompt, signal, onCall }: ProviderRequest) =>
      askForText({ ...options, model, system, prompt, signal, onCall }),
    completeStructured: (request) => askForEvent(model, options, request),
  };
}

const OPTION_NAMES: OptionNames<AiSdkProviderOptions> = {
  ...SETTING_NAMES,
  prices: true,
  maxRetries: true,
  mode: true,
};

function assertMode(mode: unknown): void {
  const known = ['auto', ...ANSWER_MODES];
  if (mode === undefined || known.some((name) => name === mode)) return;
  throw new UsageError(
    `Expected \`mode\` to be ${known.join(', ')}, got ${describeValue(mode)}. Correct it, or leave it out.`,
  );
}

async function askForEvent(
  model: GenerateModel,
  { maxRetries: given = DEFAULT_MAX_RETRIES, ...options }: AiSdkProviderOptions,
  { system, prompt, contract, schema, signal, onCall, onText, maxRetries = given }: StructuredRequest,
): Promise<StructuredCompletion> {
  let last: GenerateCall | undefined;
  const { output, provenance, usage } = await generateWith(
    {
      ...options,
      maxCorrections: maxRetries,
      model,
      messages: [
        { role: 'system', content: system },
        { role: 'user', content: prompt },
      ],
      output: Output.object({ schema }),
      signal,
      ...(onText !== undefined && {
        onPartial: ({ value }) => {
          const text = textOf(value, 'text');
          if (text !== undefined) onText(text);
        },
      }),
      onCall: (call) => {
        last = call;
        return onCall(call);
      },
    },
    { lenient: eventReader(contract), isFutile: lacksFieldsAgain(contract) },
  ).catch((error: unknown) => {
    throw last?.isWithheld === true ? withoutText(error) : error;
  });
  const isLenient = provenance.repairs.some(({ kind }) => kind === FOUND_IN_TEXT);
  // The schema accepts scores such as `"7"`. Only the parser labels them.
  const isRepaired = readWords(provenance.raw, contract).repairs.length > 0;
  return {
    value: output,
    ...(usage !== undefined && { usage }),
    attempts: provenance.attempts.length,
    ...(provenance.model !== undefined && { model: provenance.model }),
    ...(provenance.unenforced !== undefined && { unenforced: provenance.unenforced }),
    ...(last?.reasoning !== undefined && { reasoning: last.reasoning }),
    ...((isLenient || isRepaired) && { receivedText: provenance.raw }),
  };
}

/** Reads an event that keeps every rule of the contract. Others are requested again. */
function eventReader(contract: EventContractOptions): CandidateReader {
  return (text) => {
    const { payload, tier, violations } = readWords(text, contract);
    if (tier === 'raw' || violations.length > 0) return [];
    return [{ raw: text, value: payload, repairs: [tier] }];
  };
}

/** A model that leaves out an extra field twice never sends it. Its event is taken without the field. */
function lacksFieldsAgain(contract: EventContractOptions): (received: string, attempt: number) => boolean {
  return (received, attempt) => {
    if (attempt < 2) return false;
    const { tier, violations } = readWords(received, contract);
    return tier !== 'raw' && violations.every(({ code }) => code === 'field-missing');
  };
}

/** Text that a content filter withheld must not be parsed leniently either. */
function withoutText(error: unknown): unknown {
  if (!StructuredOutputError.isInstance(error)) return error;
  const { code, attempts, usage } = error;
  return new StructuredOutputError(error.message, {
    code,
    attempts,
    cause: error,
    ...(usage !== undefined && { usage }),
  });
}
