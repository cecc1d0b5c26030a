/**
 * Assembles message parts from a model's stream: complete texts and reasoning, and calls with
 * verbatim arguments.
 */
import type { RowPart } from '../contract/rows.ts';
import { z } from 'zod';
import { walkJson } from '@truecast/core/internal/json/text/walk-json';
import type { JsonValue } from '@truecast/core/internal/kit/json-value';
import type {
  ProviderMetadata,
  ToolCallPart,
  ToolResultPart,
} from '@truecast/client/internal/wire/message-parts';
import type { SdkPart } from './sdk-call.ts';
import type { LivePart } from './step-request.ts';

/** Maximum size of arguments. Longer ones are truncated. */
const MAX_ARGUMENT_CHARACTERS = 1024 * 1024;

const MAX_ARGUMENT_DEPTH = 1_000;

type TextualPart = Extract<RowPart, { readonly type: 'text' | 'reasoning' }>;

/** The parts so far. */
export interface CollectedParts {
  /** Adds one chunk of the stream. Returns the hint for watchers. */
  take(part: SdkPart): LivePart | undefined;
  /** Returns the parts in order of their start, without calls with incomplete arguments. */
  parts(): RowPart[];
}

export function collectParts(settings: { readonly hasExactArguments: boolean }): CollectedParts {
  const slots: { part: RowPart | undefined }[] = [];
  const written = new Map<string, TextualSlot>();
  const inputs = new Map<string, string>();
  const push = (part: RowPart): void => void slots.push({ part });
  return {
    take(part) {
      if (part.type === 'tool-input-delta') {
        inputs.set(part.id, cutArguments((inputs.get(part.id) ?? '') + part.delta));
        return { type: 'tool-input-delta', tool_call_id: part.id, delta: part.delta };
      }
      if (part.type === 'tool-input-start') {
        return { type: 'tool-input-start', tool_call_id: part.id, tool_name: part.toolName };
      }
      const whole = toWholePart(part, inputs, settings.hasExactArguments);
      if (whole !== undefined) push(whole);
      return takeWritten(part, written, slots);
    },
    parts: () =>
      slots.flatMap(({ part }) =>
        part === undefined || (part.type === 'text' && part.text === '') ? [] : [part],
      ),
  };
}

interface TextualSlot {
  part: TextualPart;
}

function takeWritten(
  part: SdkPart,
  written: Map<string, TextualSlot>,
  slots: { part: RowPart | undefined }[],
): LivePart | undefined {
  const type = part.type.startsWith('text') ? 'text' : 'reasoning';
  if (!isWritten(part)) return undefined;
  const key = `${type} ${part.id}`;
  const slot = written.get(key) ?? { part: { type, text: '' } };
  if (!written.has(key)) {
    written.set(key, slot);
    slots.push(slot);
  }
  const text = 'text' in part ? part.text : '';
  slot.part = { ...slot.part, text: slot.part.text + text, ...metadataOf(part, slot.part.provider_metadata) };
  return text === '' ? undefined : { type: `${type}-delta`, text };
}

type WrittenPart = Extract<
  SdkPart,
  { readonly type: `${'text' | 'reasoning'}-${'start' | 'delta' | 'end'}` }
>;

function isWritten(part: SdkPart): part is WrittenPart {
  return /^(?:text|reasoning)-(?:start|delta|end)$/u.test(part.type);
}

function toWholePart(
  part: SdkPart,
  inputs: ReadonlyMap<string, string>,
  hasExactArguments: boolean,
): RowPart | undefined {
  if (part.type === 'tool-call') return toToolCall(part, inputs.get(part.toolCallId), hasExactArguments);
  if (part.type === 'tool-result' || part.type === 'tool-error') return toToolResult(part);
  if (part.type === 'source' && part.sourceType === 'url') {
    return {
      type: 'source',
      source_id: part.id,
      url: part.url,
      ...(part.title !== undefined && { title: part.title }),
    };
  }
  if (part.type !== 'file') return undefined;
  return { type: 'file', media_type: part.file.mediaType, data: part.file.base64 };
}

type EndPart = Extract<SdkPart, { readonly type: 'tool-result' | 'tool-error' }>;

/**
 * Result of a provider-executed tool. Results of the server's tools do not appear here, except the
 * SDK's error for an unparseable call.
 */
function toToolResult(part: EndPart): ToolResultPart | undefined {
  if (part.providerExecuted !== true) return undefined;
  if (part.type === 'tool-result' && part.preliminary === true) return undefined;
  return {
    type: 'tool_result',
    tool_call_id: part.toolCallId,
    tool_name: part.toolName,
    result: toJson(part.type === 'tool-error' ? part.error : part.output),
    is_error: part.type === 'tool-error',
    provider_executed: true,
    ...metadataOf(part),
  };
}

type CallPart = Extract<SdkPart, { readonly type: 'tool-call' }>;

function toToolCall(part: CallPart, streamed: string | undefined, hasExactArguments: boolean): ToolCallPart {
  const args = streamed ?? (typeof part.input === 'string' ? part.input : JSON.stringify(part.input ?? {}));
  return {
    type: 'tool_call',
    tool_call_id: part.toolCallId,
    tool_name: part.toolName,
    args: args === '' ? '{}' : cutDeep(cutArguments(args)),
    ...(part.providerExecuted === true && { provider_executed: true }),
    ...(!(hasExactArguments && streamed !== undefined) && { numbers_exact: false }),
    ...metadataOf(part),
  };
}

/**
 * Depth limit: a deeper value is kept only to that depth, as text that is not JSON. Recursive code
 * would overflow the stack.
 */
function cutDeep(args: string): string {
  const tooDeep = walkJson(args, {
    value: (_token, depth) => (depth > MAX_ARGUMENT_DEPTH ? 'deep' : undefined),
  });
  return tooDeep === undefined ? args : args.slice(0, MAX_ARGUMENT_DEPTH);
}

function cutArguments(text: string): string {
  return text.length > MAX_ARGUMENT_CHARACTERS ? text.slice(0, MAX_ARGUMENT_CHARACTERS) : text;
}

function metadataOf(
  part: { readonly providerMetadata?: ProviderMetadata | undefined },
  before?: ProviderMetadata,
): { provider_metadata?: ProviderMetadata } {
  const metadata = part.providerMetadata ?? before;
  return metadata === undefined ? {} : { provider_metadata: metadata };
}

const jsonSchema: z.ZodType<JsonValue> = z.json();

/** A provider tool's result that is not JSON is stored as text. */
function toJson(value: unknown): JsonValue {
  const parsed = jsonSchema.safeParse(value);
  return parsed.success ? parsed.data : String(value);
}
