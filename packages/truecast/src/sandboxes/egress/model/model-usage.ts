/**
 * Usage parser for model answers in transit: Anthropic's Messages, OpenAI's Responses and Chat
 * Completions, and Gemini, with and without streaming. Keeps only the token counts and the model's
 * name. Pure.
 */
import { jsonValueOf } from '@truecast/core/internal/kit/json-value-of';
import { z } from 'zod';
import { reportedUsage, type Usage } from '@truecast/core/internal/kit/usage';
import { isRecord } from '@truecast/core/internal/kit/is-record';
import { createJsonPicker, type JsonPicker } from './json-picker.ts';

/** Usage and model reported in an answer. */
export interface ModelUsage {
  readonly usage?: Usage;
  readonly model?: string;
  /** True if this is the answer's last usage report, even if the answer is truncated later. */
  readonly isFinal?: boolean;
}

/** Parser of one answer. */
export interface ModelUsageReader {
  /** Reads a body chunk with arbitrary boundaries. */
  push(bytes: Uint8Array): void;
  /** Returns the values reported so far, even for a truncated answer. */
  read(): ModelUsage;
}

const USAGE_KEYS = new Set(['usage', 'usageMetadata']);
/**
 * Parent paths: the root, Anthropic's `message_start`, events of Responses, and the array that
 * Gemini streams without events.
 */
const PARENTS = ['', 'message.', 'response.', '*.'];
const PATHS = new Set(
  PARENTS.flatMap((parent) =>
    ['usage', 'usageMetadata', 'model', 'modelVersion'].map((key) => `${parent}${key}`),
  ),
);
const MAX_MODEL_CHARS = 200;

/**
 * A count that is no count makes a report unusable: the request is then charged its maximum. Other
 * types, such as null, are counts that the service leaves out.
 */
const count = z
  .unknown()
  .transform((value, context) => {
    if (typeof value !== 'number') return undefined;
    if (value >= 0 && value <= Number.MAX_SAFE_INTEGER) return value;
    context.issues.push({ code: 'custom', message: 'not a count', input: value });
    return z.NEVER;
  })
  .optional();
const details = z
  .object({ cached_tokens: count, cache_write_tokens: count })
  .nullish()
  .transform((value) => value ?? undefined);
/** Union of the keys of all services. They do not collide. */
const usageSchema = z.object({
  input_tokens: count,
  output_tokens: count,
  cache_creation_input_tokens: count,
  cache_read_input_tokens: count,
  input_tokens_details: details,
  prompt_tokens: count,
  completion_tokens: count,
  prompt_tokens_details: details,
  promptTokenCount: count,
  candidatesTokenCount: count,
  thoughtsTokenCount: count,
  toolUsePromptTokenCount: count,
  cachedContentTokenCount: count,
});
type ToldUsage = Partial<z.infer<typeof usageSchema>>;

/** Creates a parser for an answer with this `content-type`. */
export function createModelUsageReader(contentType: string | undefined): ModelUsageReader {
  let told: ToldUsage | undefined;
  let isUnusable = false;
  let model: string | undefined;
  let isFinal = false;
  const onPicked = (path: string, json: string): void => {
    const value = jsonValueOf(json);
    if (!USAGE_KEYS.has(path.slice(path.lastIndexOf('.') + 1))) {
      if (typeof value === 'string') model = value.slice(0, MAX_MODEL_CHARS);
      return;
    }
    // Chunks before the last one can have null.
    if (!isRecord(value)) return;
    const usage = usageSchema.safeParse(value);
    // A stream repeats growing counts, but not all of them each time.
    isUnusable ||= !usage.success;
    if (!usage.success) return;
    told = { ...told, ...withoutUndefined(usage.data) };
    // The Messages API reports the input first, within the message. Chat Completions and Gemini can
    // report growing counts with each chunk.
    isFinal ||= !path.startsWith('message.') && usage.data.output_tokens !== undefined;
  };
  const makePicker = (): JsonPicker => createJsonPicker(PATHS, onPicked);
  const isEvents = contentType?.toLowerCase().startsWith('text/event-stream') === true;
  const reader = isEvents ? createEventDataReader(makePicker) : makePicker();
  return {
    push: (bytes) => reader.push(bytes),
    read() {
      const usage = told === undefined || isUnusable ? undefined : normalize(told);
      return {
        ...(usage !== undefined && { usage }),
        ...(model !== undefined && { model }),
        ...(isFinal && !isUnusable && { isFinal }),
      };
    },
  };
}

/**
 * OpenAI and Gemini include cached tokens in the input count. Anthropic reports them separately.
 */
function normalize(told: ToldUsage): Usage | undefined {
  const input = told.input_tokens ?? told.prompt_tokens ?? told.promptTokenCount;
  const output = told.output_tokens ?? told.completion_tokens ?? told.candidatesTokenCount;
  if (input === undefined && output === undefined) return undefined;
  const inside = told.input_tokens_details ?? told.prompt_tokens_details;
  const readInside = inside?.cached_tokens ?? told.cachedContentTokenCount ?? 0;
  const writtenInside = inside?.cache_write_tokens ?? 0;
  return reportedUsage({
    inputTokens: Math.max(0, (input ?? 0) - readInside - writtenInside) + (told.toolUsePromptTokenCount ?? 0),
    outputTokens: (output ?? 0) + (told.thoughtsTokenCount ?? 0),
    cacheCreationInputTokens: (told.cache_creation_input_tokens ?? 0) + writtenInside,
    cacheReadInputTokens: (told.cache_read_input_tokens ?? 0) + readInside,
  });
}

function withoutUndefined(usage: ToldUsage): ToldUsage {
  return Object.fromEntries(Object.entries(usage).filter(([, value]) => value !== undefined));
}

const DATA = Buffer.from('data:');
const [LINE_FEED, CARRIAGE_RETURN] = Buffer.from('\n\r');

interface DataReader {
  push(bytes: Uint8Array): void;
}

/** Creates a parser that sends each event's data to a new reader. */
function createEventDataReader(makeReader: () => DataReader): DataReader {
  let reader = makeReader();
  /** Number of bytes that match the `data:` prefix on the current line. */
  let matched = 0;
  let isData = false;
  let isOther = false;
  let previous: number | undefined;
  const endLine = (): void => {
    // An empty line ends the event.
    if (matched === 0 && !isOther) reader = makeReader();
    matched = 0;
    isData = false;
    isOther = false;
  };
  return {
    push(bytes) {
      let dataFrom = isData ? 0 : -1;
      for (const [index, byte] of bytes.entries()) {
        if (byte === LINE_FEED || byte === CARRIAGE_RETURN) {
          if (isData) reader.push(bytes.subarray(dataFrom, index));
          // The line feed of a CRLF does not end a second line.
          if (byte === CARRIAGE_RETURN || previous !== CARRIAGE_RETURN) endLine();
        } else if (!isData && !isOther) {
          if (byte === DATA[matched]) matched += 1;
          else isOther = true;
          isData = matched === DATA.length;
          if (isData) dataFrom = index + 1;
        }
        previous = byte;
      }
      if (isData) reader.push(bytes.subarray(dataFrom));
    },
  };
}
