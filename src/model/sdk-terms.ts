/** Owns the AI SDK's own terms, put as a request needs them: a tool that is required, a schema that is passed on, an end that is one, usage. */
import type * as Ai from 'ai';
import type { LanguageModel, LanguageModelUsage } from 'ai';
import type { Usage } from '../errors/usage.ts';

/** The SDK, once it is loaded. */
export type Sdk = typeof Ai;

/** A model's object, never a name to look up. */
export type SdkModel = Exclude<LanguageModel, string>;

/**
 * Tells the service that a tool is required: the SDK, told so itself, throws away a reply without the call, with its text and its usage.
 * Where any of them will do the tool is not named, since LM Studio refuses a `tool_choice` that is more than a word.
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

/** The SDK's own object output would parse the text and lose it when it is wrong. */
export function nativeOutput(
  schema: Readonly<Record<string, unknown>>,
  ai: Sdk,
): ReturnType<Sdk['Output']['text']> {
  return {
    ...ai.Output.text(),
    responseFormat: Promise.resolve({ type: 'json', name: 'answer', schema }),
  };
}

/** A connection that just ends leaves the SDK without a reason of the service. */
export function isEnd({
  finishReason,
  rawFinishReason,
}: {
  readonly finishReason: string;
  readonly rawFinishReason: string | undefined;
}): boolean {
  return finishReason !== 'error' && (finishReason !== 'other' || rawFinishReason !== undefined);
}

/** Counts what was read from a cache apart from what was not. */
export function toUsage({ inputTokens, inputTokenDetails, outputTokens }: LanguageModelUsage): Usage {
  const cacheReadInputTokens = inputTokenDetails.cacheReadTokens ?? 0;
  const cacheCreationInputTokens = inputTokenDetails.cacheWriteTokens ?? 0;
  const total = inputTokens ?? 0;
  return {
    inputTokens:
      inputTokenDetails.noCacheTokens ?? Math.max(0, total - cacheReadInputTokens - cacheCreationInputTokens),
    outputTokens: outputTokens ?? 0,
    cacheCreationInputTokens,
    cacheReadInputTokens,
  };
}
