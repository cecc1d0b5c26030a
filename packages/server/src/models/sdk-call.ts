/** One model call by the SDK, which converts the prompt, the tools and the service's errors. */
import type { LanguageModelStreamPart, ModelMessage, TextStreamPart, ToolSet } from 'ai';
import type { Sdk } from '@truecast/model/internal/call/sdk-terms';

/** Options that both functions have. The types of the others differ. */
type Setting =
  | 'model'
  | 'allowSystemInMessages'
  | 'tools'
  | 'toolChoice'
  | 'output'
  | 'abortSignal'
  | 'providerOptions'
  | 'maxOutputTokens'
  | 'temperature'
  | 'topP'
  | 'presencePenalty'
  | 'frequencyPenalty'
  | 'stopSequences'
  | 'seed'
  | 'reasoning';
type CallOptions = Parameters<Sdk['experimental_streamLanguageModelCall']>[0];

export type SdkCallOptions = Pick<CallOptions, Setting> &
  Required<Pick<CallOptions, 'download'>> & { readonly messages: ModelMessage[] };

export type SdkPart = LanguageModelStreamPart | TextStreamPart<ToolSet>;

/**
 * Sends the call.
 *
 * `streamText` of the SDK needs three times the processor time for one call. It is used with later
 * versions that do not have the experimental function.
 */
export async function startCall(
  ai: Sdk,
  options: SdkCallOptions,
): Promise<{ readonly stream: ReadableStream<SdkPart> }> {
  const { experimental_streamLanguageModelCall: callOnce }: Partial<Sdk> = ai;
  if (callOnce !== undefined) return callOnce(options);
  const { download: experimental_download, ...settings } = options;
  return ai.streamText({ ...settings, experimental_download, maxRetries: 0, onError: () => undefined });
}
