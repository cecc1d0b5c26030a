/**
 * Answer modes: the extra request parameters of each mode, and how the answer is read from the
 * reply.
 */
import type { ModelMessage } from 'ai';
import { SchemaError } from '@truecast/core/internal/errors/schema-error';
import type { StructuredOutputError } from '@truecast/core/internal/errors/structured-output-error';
import type { AnyOutputDefinition } from '@truecast/core/internal/output/definition/definition';
import { describeFailure } from '@truecast/core/internal/output/validate/describe-failure';
import { finalizerInstruction, finalizerTool } from '@truecast/core/internal/output/finalizer/finalizer-tool';
import { hasDangerousKey } from '@truecast/core/internal/json/bounded-json';
import { hasEnvelope, valueIn } from '@truecast/core/internal/output/judge/judged';
import type { Provenance, SafeExtractResult } from '@truecast/core/internal/output/definition/provenance';
import { outputJsonSchema } from '@truecast/core/internal/output/definition/output-json-schema';
import { portableToolSchema } from '@truecast/core/internal/schema/dialects/portable-tool-schema';
import type { SchemaDialect } from '@truecast/core/internal/schema/dialects/profiles/dialect-profile';
import type { GenerateModel, GenerateMode } from '../call/generate-options.ts';
import type { ModelReply } from '../call/model-reply.ts';
import type { ReplyRequest } from '../call/sdk-request.ts';
import { loweredSchema } from './lowered-schema.ts';
import { MODE_OF, type LadderStep } from '../ladder/ladder.ts';
import { engineOf } from '../ladder/engine.ts';
import { readReply, type ModeTarget } from './read-reply.ts';
import { withToldSchema } from './told-schema.ts';

/** One mode to an answer. */
export interface ModelMode {
  readonly name: GenerateMode;
  readonly step: LadderStep;
  /** Request parameters beside the conversation. */
  readonly request: Pick<
    ReplyRequest,
    'nativeSchema' | 'isObjectMode' | 'tool' | 'others' | 'isFree' | 'isNamed' | 'isJsonMode'
  >;
  /** Rules of the schema that this mode's schema mode cannot hold. */
  readonly unenforced?: NonNullable<Provenance['unenforced']>;
  /**
   * Adds the schema in words, where the mode does that.
   *
   * @param isTold - true after a reply that ignored the schema elsewhere, or broke it in vain
   */
  open(messages: readonly ModelMessage[], isTold: boolean): readonly ModelMessage[];
  /** Reads the answer. Never rejects. */
  read(reply: ModelReply): Promise<SafeExtractResult<unknown>>;
  /** Converts a value in the provider's form to the definition's form. */
  restore(value: unknown): unknown;
  /** The feedback for `reply`, whose answer was invalid. */
  feedback(reply: ModelReply, error: StructuredOutputError, retriesLeft: number): readonly ModelMessage[];
}

/**
 * Creates the mode of a step.
 *
 * @throws UsageError if the definition has no JSON Schema; SchemaError if the provider's schema
 *   mode cannot express it
 */
export function makeMode(step: LadderStep, target: ModeTarget): ModelMode {
  const mode = MODE_OF[step];
  if (mode === 'native') return nativeMode(step, target);
  if (mode === 'tool') return toolMode(step, target);
  return textMode(step, target);
}

function nativeMode(step: LadderStep, target: ModeTarget): ModelMode {
  const { output, model } = target;
  const dialect = dialectOf(model);
  const { schema, inverse, losses } = loweredSchema(output, dialect);
  const isHeldInPart = dialect === 'grammar' && losses.length > 0;
  return {
    ...textMode(step, target, inverse),
    request: { nativeSchema: schema, isObjectMode: step === 'object' },
    open: (messages, isTold) => withToldSchema(messages, () => output, { step, isTold, isHeldInPart }),
    unenforced: losses.map(({ path, keyword }) => ({ path, keyword })),
    restore: (value) => restorePreview(value, inverse),
  };
}

/**
 * Converts a preview back to the schema's form. Returns undefined if that fails, or if the preview
 * contains a key that could reach a prototype.
 */
function restorePreview(value: unknown, inverse: (value: unknown) => unknown): unknown {
  try {
    const restored = inverse(value);
    return hasDangerousKey(restored) ? undefined : restored;
  } catch (error) {
    if (SchemaError.isInstance(error)) return undefined;
    throw error;
  }
}

/** Hosted services with the strict mode of OpenAI, or which can forward to it. */
const STRICT_HOSTS =
  /^(?:openai\.|azure|gateway|groq|mistral|xai|deepseek|cohere|togetherai|fireworks|cerebras|perplexity|amazon-bedrock)/u;

/**
 * The dialect of a provider's schema mode. A server of unknown make gets what every engine keeps, unless
 * it has rejected lengths: then a strict service is behind it.
 */
export function dialectOf(model: GenerateModel): SchemaDialect {
  const { provider } = model;
  if (provider.startsWith('anthropic')) return 'anthropic';
  if (provider.startsWith('google')) return 'gemini';
  return STRICT_HOSTS.test(provider) || engineOf(model).hasNoLengths ? 'openai' : 'grammar';
}

/** Returns the form of a tool's schema that a model gets. */
export function sentToolSchema(
  schema: Readonly<Record<string, unknown>>,
  model: GenerateModel,
  maxWork?: number,
): Readonly<Record<string, unknown>> {
  return dialectOf(model) === 'grammar' ? portableToolSchema(schema, maxWork) : schema;
}

function toolMode(step: LadderStep, target: ModeTarget): ModelMode {
  const { output, model } = target;
  const own = finalizerTool(output);
  const tool = { ...own, inputSchema: sentToolSchema(own.inputSchema, model) };
  return {
    ...textMode(step, target),
    request: { tool, isNamed: step === 'named' },
    restore: (value) => (hasEnvelope(value) ? valueIn(value) : value),
    feedback: toolFeedback,
  };
}

/** Every call needs its result, or the service rejects the conversation. */
function toolFeedback(
  reply: ModelReply,
  error: StructuredOutputError,
  retriesLeft: number,
): readonly ModelMessage[] {
  const value = describeFailure(error, { instruction: finalizerInstruction(error, retriesLeft) });
  if (reply.toolCalls.length === 0 || contentOf(reply).length > MAX_RETURNED_CHARS) {
    return [...messagesWithoutCalls(reply), { role: 'user', content: value }];
  }
  const results = reply.toolCalls.map(({ toolCallId, toolName }) => ({
    type: 'tool-result' as const,
    toolCallId,
    toolName,
    output: { type: 'error-text' as const, value },
  }));
  return [...reply.messages, { role: 'tool', content: results }];
}

/** The JSON mode of most services produces objects only. */
function hasObjectRoot(output: AnyOutputDefinition): boolean {
  const schema = outputJsonSchema(output);
  return typeof schema === 'object' && schema['type'] === 'object';
}

/** The mode through the reply's text. */
function textMode(step: LadderStep, target: ModeTarget, inverse?: (value: unknown) => unknown): ModelMode {
  const { output } = target;
  const isTagged = output.tag !== undefined;
  const name = isTagged ? 'tag' : MODE_OF[step];
  return {
    name,
    step,
    read: (reply) => readReply(reply, target, { mode: name, ...(inverse !== undefined && { inverse }) }),
    request: step === 'json' && hasObjectRoot(output) ? { isJsonMode: true } : {},
    open: (messages, isTold) =>
      isTagged ? messages : withToldSchema(messages, () => output, { step, isTold }),
    restore: (value) => value,
    feedback: (reply, error, retriesLeft) => [
      ...messagesWithoutCalls(reply),
      { role: 'user', content: describeFailure(error, { instruction: nextStep(error, retriesLeft) }) },
    ],
  };
}

function nextStep({ tag }: StructuredOutputError, retriesLeft: number): string {
  const place = tag === undefined ? ', and nothing else' : ` between <${tag}> and </${tag}>`;
  return `Send the whole corrected answer${place}. Tries left after this one: ${retriesLeft}.`;
}

/** Maximum length of an invalid reply in the next request: far above an answer that nearly fits. */
const MAX_RETURNED_CHARS = 20_000;

/**
 * Returns the reply as messages without tool calls. A call of a tool that was not offered has no
 * result, and services reject a conversation with an open call. A huge reply is shortened, because
 * the model would be charged for it again.
 */
function messagesWithoutCalls(reply: ModelReply): readonly ModelMessage[] {
  const content = contentOf(reply);
  const isShort = content.length <= MAX_RETURNED_CHARS;
  if (reply.toolCalls.length === 0 && isShort) return reply.messages;
  if (content === '') return [];
  const said = isShort ? content : `${content.slice(0, MAX_RETURNED_CHARS)}… (${content.length} characters)`;
  return [{ role: 'assistant', content: said }];
}

function contentOf({ text, toolCalls }: ModelReply): string {
  const said = [
    text,
    ...toolCalls.map(({ input }) => (typeof input === 'string' ? input : JSON.stringify(input))),
  ];
  return said.filter((each) => each !== '').join('\n');
}
