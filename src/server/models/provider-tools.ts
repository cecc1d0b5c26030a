/** Owns the tools that a provider itself runs: what is sent for one, and which of its results the provider takes back. */
import type { ToolCallPart, ToolResultPart, ToolSet } from 'ai';
import type { ProviderToolName } from '../contract/tools.ts';

/** A call of such a tool, or what it came to, in a prompt. */
export type ProviderPart = ToolCallPart | ToolResultPart;

/** A tool of a provider's own. */
export interface ProviderTool {
  /** As the provider's package makes it. */
  readonly tool: ToolSet[string];
  /** The model takes it together with tools of ours. */
  readonly isMixable: boolean;
  /** Tells whether the provider itself made this part: it refuses, or cannot read, what another one made. */
  isOwn(part: ProviderPart): boolean;
}

/** By the name that a turn knows them by. */
export type ProviderTools = Readonly<Partial<Record<ProviderToolName, ProviderTool>>>;

/** Makes Anthropic's. Its calls are told by their ids, which the service takes in no other form. */
export function anthropicTool(tool: ToolSet[string]): ProviderTool {
  return {
    tool,
    isMixable: true,
    isOwn: (part) => part.toolCallId.startsWith('srvtoolu_') && isReadable(part),
  };
}

/** Of a page without a title Anthropic's package leaves the title out, and then takes the whole result for broken. */
function isReadable(part: ProviderPart): boolean {
  if (part.type === 'tool-call' || part.output.type !== 'json') return true;
  const { value } = part.output;
  return (
    Array.isArray(value) &&
    value.every((page) => typeof page === 'object' && page !== null && 'title' in page)
  );
}

/** Makes OpenAI's. The service tells its items by the beginnings of their ids. */
export function openaiTool(tool: ToolSet[string]): ProviderTool {
  return { tool, isMixable: true, isOwn: ({ toolCallId }) => toolCallId.startsWith('ws_') };
}

/** Makes Google's. Its package notes on each part what the service called it. */
export function googleTool(tool: ToolSet[string], model: string): ProviderTool {
  return {
    tool,
    // Before Gemini 3 the package sends nothing but the provider's tools, and leaves ours out without a word.
    isMixable: !/gemini-(?:[12]\b|pro$|pro-vision$)/u.test(model),
    isOwn: ({ providerOptions }) => providerOptions?.['google']?.['serverToolType'] !== undefined,
  };
}

/** Narrows tools to those whose names are taken. */
export function pickProviderTools(tools: ProviderTools, isTaken: (name: string) => boolean): ProviderTools {
  return Object.fromEntries(Object.entries(tools).filter(([name]) => isTaken(name)));
}
