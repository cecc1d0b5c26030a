/** Replies that are ended early: the watch for runaways, and the forms of ended replies. */
import { watchReply, type ReplyWatch } from './watch-reply.ts';

/** Finish reason of a reply that ran away and was ended. No service reports it. */
export const RUNAWAY = 'runaway';

/** Finish reason of a reply that was ended at an invalid part. No service reports it. */
export const STOPPED = 'stopped';

/** The parts of a request that say what its reply can contain. */
export interface AskedReply {
  readonly model: { readonly modelId: string };
  readonly nativeSchema?: unknown;
  readonly tool?: WatchedTool;
  readonly others?: readonly WatchedTool[];
  readonly isJsonMode?: boolean;
  readonly endRunaways?: boolean | undefined;
}

interface WatchedTool {
  readonly name: string;
  readonly inputSchema: unknown;
}

/** Starts the watch of a request's reply. */
export function watchOf({
  nativeSchema,
  tool,
  others = [],
  isJsonMode,
  endRunaways,
}: AskedReply): ReplyWatch {
  return watchReply({
    endRunaways,
    // A model with the order to call a tool can write its input as text.
    isJson: nativeSchema !== undefined || isJsonMode === true || tool !== undefined,
    schemas: [nativeSchema, ...[...others, tool].map((each) => each?.inputSchema)],
  });
}

/** The reply without its text. Its counts are unknown: a service reports them at the end. */
export interface EndedReply {
  readonly toolCalls: readonly {
    readonly toolCallId: string;
    readonly toolName: string;
    readonly input: string;
    readonly isUnreadable: true;
  }[];
  readonly finishReason: typeof RUNAWAY;
  readonly messages: readonly never[];
  readonly usage: undefined;
  readonly modelId: string;
  readonly droppedSchema: false;
}

/** Returns the reply, with the input of the tool's call as far as it came. Of several tools, which is unknown. */
export function endedReply({ model, tool, others = [] }: AskedReply, input: string | undefined): EndedReply {
  const toolName = tool?.name ?? '';
  return {
    toolCalls:
      input === undefined || others.length > 0
        ? []
        : [{ toolCallId: '', toolName, input, isUnreadable: true }],
    finishReason: RUNAWAY,
    messages: [],
    usage: undefined,
    modelId: model.modelId,
    droppedSchema: false,
  };
}

/** A reply as far as it came. */
interface BegunReply {
  readonly text: string;
  readonly reasoningText: string;
  readonly toolInputText?: string;
}

/** A reply that was ended at an invalid part. Its counts are unknown. */
interface StoppedReply extends Pick<EndedReply, 'usage' | 'modelId' | 'droppedSchema'> {
  readonly text: string;
  readonly reasoningText: string;
  readonly toolCalls: readonly never[];
  readonly finishReason: typeof STOPPED;
  readonly messages: readonly [{ readonly role: 'assistant'; readonly content: string }];
}

/** Returns the reply as text, to be sent back: services reject a call whose input is cut. */
export function stoppedReply(
  { model }: Pick<AskedReply, 'model'>,
  { text, reasoningText, toolInputText }: BegunReply,
): StoppedReply {
  const said = toolInputText ?? text;
  return {
    text: said,
    reasoningText,
    toolCalls: [],
    finishReason: STOPPED,
    messages: [{ role: 'assistant', content: said }],
    usage: undefined,
    modelId: model.modelId,
    droppedSchema: false,
  };
}
