/** Adapter to the AI SDK's terms: required tools, raw schemas, errors, usage. */
import type * as Ai from 'ai';
import type { LanguageModel, LanguageModelUsage } from 'ai';
import { reportedUsage, type Usage } from '@truecast/core/internal/errors/base/usage';

/** The loaded SDK. */
export type Sdk = typeof Ai;

/** A model object, never a name to look up. */
export type SdkModel = Exclude<LanguageModel, string>;

/**
 * Sets `toolChoice` for the service, but not for the SDK. The SDK would discard a reply without the
 * call, with its text and usage. Without `toolName`, any tool is allowed: LM Studio rejects a
 * `tool_choice` object.
 */
export function requiringTool(model: SdkModel, ai: Sdk, toolName?: string): LanguageModel {
  const toolChoice =
    toolName === undefined ? { type: 'required' as const } : { type: 'tool' as const, toolName };
  return ai.wrapLanguageModel({
    model,
    middleware: {
      specificationVersion: 'v4',
      transformParams: ({ params }) => Promise.resolve({ ...params, toolChoice }),
    },
  });
}

/** Options by provider, in the SDK's type. */
type ProviderOptions = NonNullable<CallSettings['providerOptions']>;
type CallSettings = Parameters<Sdk['generateText']>[0];

/**
 * Adds the schema to the JSON mode, as llama-cpp-python takes it. The provider adds what it does not
 * know to the body.
 */
export function objectMode(schema: unknown, options: ProviderOptions | undefined): ProviderOptions {
  const format = { type: 'json_object', schema };
  return {
    ...options,
    openaiCompatible: { ...options?.['openaiCompatible'], response_format: format },
  } as ProviderOptions;
}

/** The SDK's object output would parse the text and lose it if it is invalid. */
export function nativeOutput(
  schema: Readonly<Record<string, unknown>>,
  ai: Sdk,
): ReturnType<Sdk['Output']['text']> {
  return {
    ...ai.Output.text(),
    responseFormat: Promise.resolve({ type: 'json', name: 'answer', schema }),
  };
}

/** Asks for JSON without a schema. */
export function jsonOutput(ai: Sdk): ReturnType<Sdk['Output']['text']> {
  return { ...ai.Output.text(), responseFormat: Promise.resolve({ type: 'json' }) };
}

/** After a closed connection the SDK has no reason from the service. */
export function isEnd({
  finishReason,
  rawFinishReason,
}: {
  readonly finishReason: string;
  readonly rawFinishReason: string | undefined;
}): boolean {
  return finishReason !== 'error' && (finishReason !== 'other' || rawFinishReason !== undefined);
}

/** A negative or endless count is unusable: it would give a budget back, or end it. */
function countOf(tokens: number | undefined): number | undefined {
  return tokens !== undefined && tokens >= 0 && tokens <= Number.MAX_SAFE_INTEGER ? tokens : undefined;
}

/** Counts cached input tokens separately. Undefined if the service did not report both directions. */
export function toUsage({
  inputTokens,
  inputTokenDetails,
  outputTokens,
}: LanguageModelUsage): Usage | undefined {
  const output = countOf(outputTokens);
  if (output === undefined) return undefined;
  const cacheReadInputTokens = countOf(inputTokenDetails.cacheReadTokens) ?? 0;
  const cacheCreationInputTokens = countOf(inputTokenDetails.cacheWriteTokens) ?? 0;
  const total = countOf(inputTokens) ?? 0;
  return reportedUsage({
    inputTokens:
      countOf(inputTokenDetails.noCacheTokens) ??
      Math.max(0, total - cacheReadInputTokens - cacheCreationInputTokens),
    outputTokens: output,
    cacheCreationInputTokens,
    cacheReadInputTokens,
  });
}
