/** Provider-executed tools: their requests, and the results that the provider accepts back. */
import type { ToolCallPart, ToolResultPart, ToolSet } from 'ai';
import type { ProviderToolName } from '../contract/tools.ts';

/** A call of such a tool, or its result, in a prompt. */
export type ProviderPart = ToolCallPart | ToolResultPart;

export interface ProviderTool {
  /** The tool object of the provider's package. */
  readonly tool: ToolSet[string];
  /** True if the model accepts it together with the server's tools. */
  readonly isMixable: boolean;
  /**
   * Returns true if this provider created the part. It rejects, or cannot read, parts of other
   * providers.
   */
  isOwn(part: ProviderPart): boolean;
}

/** By provider-independent name. */
export type ProviderTools = Readonly<Partial<Record<ProviderToolName, ProviderTool>>>;

/** Creates Anthropic's tools. The service requires its own id format for calls. */
export function anthropicTool(tool: ToolSet[string]): ProviderTool {
  return {
    tool,
    isMixable: true,
    isOwn: (part) => part.toolCallId.startsWith('srvtoolu_') && isReadable(part),
  };
}

/**
 * For a page without a title, Anthropic's package omits the field and then rejects the whole
 * result.
 */
function isReadable(part: ProviderPart): boolean {
  if (part.type === 'tool-call' || part.output.type !== 'json') return true;
  const { value } = part.output;
  return (
    Array.isArray(value) &&
    value.every((page) => typeof page === 'object' && page !== null && 'title' in page)
  );
}

/** Creates OpenAI's tools. The service identifies item types by id prefixes. */
export function openaiTool(tool: ToolSet[string]): ProviderTool {
  return { tool, isMixable: true, isOwn: ({ toolCallId }) => toolCallId.startsWith('ws_') };
}

/** Creates Google's tools. Google's package stores the service's names on each part. */
export function googleTool(tool: ToolSet[string], model: string): ProviderTool {
  return {
    tool,
    // Before Gemini 3, the package sends only the provider's tools and silently omits the server's.
    isMixable: !/gemini-(?:[12]\b|pro$|pro-vision$)/u.test(model),
    isOwn: ({ providerOptions }) => providerOptions?.['google']?.['serverToolType'] !== undefined,
  };
}

/** Filters tools by accepted names. */
export function pickProviderTools(tools: ProviderTools, isTaken: (name: string) => boolean): ProviderTools {
  return Object.fromEntries(Object.entries(tools).filter(([name]) => isTaken(name)));
}
