/** Adapter to the AI SDK's terms: required tools, raw schemas, errors, usage. */
import type * as Ai from 'ai';
import type { LanguageModel, LanguageModelUsage } from 'ai';
import { reportedUsage, type Usage } from '@truecast/core/internal/kit/usage';

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

type ProviderOptions = NonNullable<CallSettings['providerOptions']>;
type CallSettings = Parameters<Sdk['generateText']>[0];

/** How an answer that is text is asked for. */
export interface AnswerForm {
  /** The schema for the provider's constrained decoding. */
  readonly nativeSchema?: Readonly<Record<string, unknown>> | undefined;
  /** True to send the schema as a member of `json_object`. Only for `openAICompatible()`. */
  readonly isObjectMode?: boolean | undefined;
  /** True to ask for JSON without a schema. */
  readonly isJsonMode?: boolean | undefined;
  readonly providerOptions?: ProviderOptions | undefined;
}

/** Returns the SDK's options of a form. Its object output would parse the text, and lose an invalid one. */
export function answerForm(
  { nativeSchema: schema, isObjectMode = false, isJsonMode = false, providerOptions }: AnswerForm,
  ai: Sdk,
): { readonly output?: ReturnType<Sdk['Output']['text']>; readonly providerOptions?: ProviderOptions } {
  if (schema === undefined && !isJsonMode) return {};
  const named = schema === undefined || isObjectMode ? {} : { name: 'answer', schema };
  const output = {
    ...ai.Output.text(),
    responseFormat: Promise.resolve({ type: 'json' as const, ...named }),
  };
  if (!isObjectMode) return { output };
  // As llama-cpp-python takes it. The provider adds what it does not know to the body.
  const compatible = {
    ...providerOptions?.['openaiCompatible'],
    response_format: { type: 'json_object', schema },
  };
  return { output, providerOptions: { ...providerOptions, openaiCompatible: compatible } as ProviderOptions };
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
