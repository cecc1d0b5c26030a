/**
 * `generate()`: asks a model until its answer is valid.
 *
 * options → modes, best first → request (with transport retries) → reply → validation → the
 * answer, or feedback and the next attempt
 */
import {
  type Attempt,
  EvidenceError,
  attachEvidence,
} from '@truecast/core/internal/errors/base/run-evidence';
import { TruecastError } from '@truecast/core/internal/errors/base/truecast-error';
import { priceUsage, sumUsage, type Usage } from '@truecast/core/internal/kit/usage';
import { ModelError } from '@truecast/core/internal/errors/model-error';
import type { StructuredOutputError } from '@truecast/core/internal/errors/structured-output-error';
import { attemptOf, withAttempts } from '@truecast/core/internal/output/definition/answer-errors';
import { asksAnew, tellsSchema } from '@truecast/core/internal/output/finalizer/answer-loop';
import { checkAnswer } from '@truecast/core/internal/output/validate/check-answer';
import type { AnyOutputDefinition, InferOutput } from '@truecast/core/internal/output/definition/definition';
import type { SafeExtractResult } from '@truecast/core/internal/output/definition/provenance';
import {
  objectsIn,
  type CandidateReader,
} from '@truecast/core/internal/output/candidates/lenient-candidates';
import { maskValue } from '@truecast/host/internal/masking/mask-value';
import { askForReply } from './modes/ask-for-reply.ts';
import { nextMode, type Conversation, type ModeReply } from './modes/conversation.ts';
import { isWithheld } from './call/model-reply.ts';
import { RUNAWAY, STOPPED } from './runaway/runaway-reply.ts';
import { createModelMask } from './call/model-mask.ts';
import { toNamedError } from './call/known-models.ts';
import { toGeneratePromise, type GeneratePromise, type GenerateResult } from './generate-promise.ts';
import { checkContext } from './call/check-context.ts';
import { normalizeGenerateOptions, type FutileTest, type GenerateOptions } from './call/generate-options.ts';
import { ANSWER_SPAN, answerAttributes } from './modes/answer-span.ts';
import { recordOutcome, type GenerateEnding } from './modes/record-outcome.ts';
import { startClimb } from './ladder/climb.ts';
import { learnFrom } from './ladder/model-steps.ts';
import { budgetReached, isUncounted, UNCOUNTED } from './call/spending.ts';
import { tellAnswered } from './modes/tell-call.ts';
import { OF_VALUES } from './modes/values.ts';
import { watchElements } from './modes/watched-elements.ts';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import type { ElementFeed } from '@truecast/core/internal/output/validate/element-feed';
import { workToAnswer } from './loop/work-to-answer.ts';
import { readTools, type ReadyTools } from './tools/read-tools.ts';
import { openSpans, type OpenSpan } from './telemetry/tracing.ts';

/**
 * Asks a model for an answer and returns it typed and validated, or throws. The promise is also an
 * async iterable of the answer so far.
 *
 * An invalid answer is asked for again at most `maxCorrections` times: a wrong value is sent back once
 * with its issues, else the question is asked anew. Transport failures are retried separately, after the delay that the service requests. The
 * AI SDK is loaded at the first call.
 *
 * @throws UsageError before any request; StructuredOutputError with every attempt; ModelError if
 *   the service fails; the signal's reason
 * @example
 * ```ts
 * const { output, usage } = await generate({
 *   model: openAICompatible({ baseURL: 'http://localhost:11434/v1', model: 'qwen3:8b' }),
 *   prompt: 'How many moons has Mars?',
 *   output: Output.object({ schema: z.object({ moons: z.number() }) }),
 * });
 * console.log(output.moons, usage?.outputTokens);
 * ```
 *
 * @example
 * ```ts
 * const answer = generate({
 *   model: openAICompatible({ baseURL: 'http://localhost:11434/v1', model: 'qwen3:8b' }),
 *   prompt: 'Describe Mars.',
 *   output: Output.object({ schema: z.object({ title: z.string(), facts: z.array(z.string()) }) }),
 * });
 * for await (const { value } of answer) console.log(value?.title, value?.facts?.length);
 * console.log((await answer).output.facts);
 * ```
 */
export function generate<TDefinition extends AnyOutputDefinition, TInputs = Readonly<Record<string, never>>>(
  options: GenerateOptions<TDefinition, TInputs>,
): GeneratePromise<InferOutput<TDefinition>> {
  // From JavaScript, the options themselves can be missing. Each tool's schema checks the input of its function.
  const given = options as GenerateOptions<TDefinition>;
  const isLenient = (given as GenerateOptions<TDefinition> | undefined)?.lenient === true;
  const lenient = isLenient ? objectsIn : undefined;
  return toGeneratePromise(given, (asked, elements) => generateWith(asked, { lenient, elements }));
}

/** Readers of the replies of one call. */
interface AnswerReaders {
  /** Finds candidates in a longer reply. @default answers are strict */
  readonly lenient?: CandidateReader | undefined;
  /** @default each attempt can improve the reply */
  readonly isFutile?: FutileTest;
  /** Gets the elements of the answer. @default none */
  readonly elements?: ElementFeed | undefined;
}

/** `generate()` for outputs whose shape is known: with a reader of its own, and an early end. */
export async function generateWith<TDefinition extends AnyOutputDefinition>(
  options: GenerateOptions<TDefinition>,
  { lenient, isFutile, elements }: AnswerReaders,
): Promise<GenerateResult<InferOutput<TDefinition>>> {
  const settings = normalizeGenerateOptions(options);
  if (elements !== undefined && options.tools !== undefined) throw elementsWithTools();
  const tools = options.tools === undefined ? undefined : await readTools(options.tools);
  options.signal?.throwIfAborted();
  const trace = await openSpans('@truecast/model');
  return trace(ANSWER_SPAN, (span) =>
    answerIn<TDefinition>(span, tools, {
      options,
      settings,
      lenient,
      isFutile,
      elements: elements && watchElements(elements, options.output, endsReplies(options)),
      climb: startClimb(),
      attempt: 0,
      mode: undefined,
      later: [],
      renewals: 0,
      isTold: false,
      usages: [],
      received: undefined,
      startedAtMs: performance.now(),
      trace: (start, work) => trace({ ...start, parent: span }, work),
    }),
  );
}

function elementsWithTools(): UsageError {
  return new UsageError('`elements` is not supported with `tools`. Await the answer, and use `onStep`.', {
    code: 'unsupported',
  });
}

/** A lenient reader can repair an element. A reply that was ended has no usage, which a budget counts. */
function endsReplies({ lenient, budget }: GenerateOptions<AnyOutputDefinition>): boolean {
  return lenient !== true && budget?.tokens === undefined && budget?.usd === undefined;
}

/** Asks, and records how it ended. */
async function answerIn<TDefinition extends AnyOutputDefinition>(
  span: OpenSpan,
  tools: ReadyTools | undefined,
  conversation: Conversation,
): Promise<GenerateResult<InferOutput<TDefinition>>> {
  const { signal } = conversation.options;
  const attempts: Attempt[] = [];
  const end = async (ending: Omit<GenerateEnding, 'attempts'>): Promise<void> => {
    span.set(answerAttributes(conversation, { ...ending, attempts }));
    await recordOutcome(conversation, { ...ending, attempts });
  };
  try {
    const result = await (tools === undefined
      ? converse<TDefinition>(conversation, attempts)
      : work<TDefinition>(conversation, tools, attempts));
    await end({ usage: result.usage, output: result.output });
    return result;
  } catch (thrown) {
    const { model, headers } = conversation.options;
    const error: unknown = signal?.aborted === true ? signal.reason : await toNamedError(thrown, model);
    await end({ usage: usageOf(conversation), error });
    signal?.throwIfAborted();
    const told = withEvidence(error, attempts, conversation);
    // A text of the model can contain the key that its service got. Errors of callbacks are unchanged.
    throw TruecastError.isInstance(told) ? maskValue(told, createModelMask(model, headers)) : told;
  }
}

/** Lets the model work with tools until it submits a valid answer. */
async function work<TDefinition extends AnyOutputDefinition>(
  conversation: Conversation,
  tools: ReadyTools,
  attempts: Attempt[],
): Promise<GenerateResult<InferOutput<TDefinition>>> {
  const { answer, routed, steps } = await workToAnswer(conversation, tools, attempts);
  return { ...toResult<TDefinition>(conversation, attempts, answer, routed), steps };
}

/** Asks until an answer is valid or no attempt is left. */
async function converse<TDefinition extends AnyOutputDefinition>(
  conversation: Conversation,
  attempts: Attempt[],
): Promise<GenerateResult<InferOutput<TDefinition>>> {
  const { output, signal } = conversation.options;
  for (let count = 1; ; count += 1) {
    const before = conversation.usages.length;
    conversation.attempt = count;
    const routed = await askForReply(conversation);
    const { reply, mode } = routed;
    const read = conversation.elements?.refusalOf(reply) ?? (await mode.read(reply));
    const answer = await checkAnswer(read, output, checkContext(signal));
    const attempt = attemptOf(answer, sumUsage(conversation.usages.slice(before)));
    attempts.push(attempt);
    const { code } = attempt;
    learn(conversation, routed, answer.success);
    await tellAnswered(conversation, routed, code);
    if (answer.success) return toResult<TDefinition>(conversation, attempts, answer, routed);
    const triesLeft = triesAfter(conversation, count, answer.error);
    if (triesLeft === 0) throw withAttempts(answer.error, attempts);
    if (isUncounted(reply.usage, conversation.options.budget)) {
      throw withAttempts(answer.error, attempts, UNCOUNTED);
    }
    prepareNext(conversation, routed, answer.error, triesLeft - 1);
  }
}

/** Chooses the step of the next request, and what it repeats of this one. */
function prepareNext(
  conversation: Conversation,
  { reply, mode }: ModeReply,
  error: StructuredOutputError,
  retriesLeft: number,
): void {
  const { later } = conversation;
  const next = nextMode(conversation, mode);
  conversation.mode = next;
  const isValue = OF_VALUES.has(error.code);
  if (!asksAnew({ isValue, isCorrecting: later.length > 0 })) {
    later.push(...next.feedback(reply, error, retriesLeft));
    return;
  }
  later.splice(0);
  conversation.renewals += 1;
  const isEmpty = reply.text.trim() === '' && reply.toolCalls.length === 0;
  conversation.isTold ||= !isEmpty && tellsSchema(error.code);
}

/** Finish reasons of replies that show nothing about their end. */
const PARTIAL: ReadonlySet<string> = new Set(['length', RUNAWAY, STOPPED]);

/** Learns what the reply shows about the step that asked for it. */
function learn({ options }: Conversation, { reply, mode }: ModeReply, isAccepted: boolean): void {
  // A list or a word is asked for without the JSON mode.
  if (mode.step === 'json' && mode.request.isJsonMode !== true) return;
  const { text, toolCalls, finishReason } = reply;
  const hasCall = toolCalls.some(({ toolName }) => toolName === mode.request.tool?.name);
  const isWhole = !PARTIAL.has(finishReason) && !isWithheld(reply);
  learnFrom(options.model, mode.step, { text, hasCall, isAccepted, isWhole });
}

function usageOf({ usages, options }: Conversation): Usage | undefined {
  return priceUsage(sumUsage(usages), options.prices);
}

/** A validator that threw would throw again, and a spent budget allows no attempt. */
function triesAfter(conversation: Conversation, attempt: number, error: StructuredOutputError): number {
  if (error.code === 'validator-error') return 0;
  const { options, settings, received = '', isFutile } = conversation;
  if (isFutile?.(received, attempt) === true) return 0;
  if (budgetReached(usageOf(conversation), options.budget)) return 0;
  return settings.maxAttempts - attempt;
}

function toResult<TDefinition extends AnyOutputDefinition>(
  conversation: Conversation,
  attempts: readonly Attempt[],
  answer: SafeExtractResult<unknown> & { readonly success: true },
  { reply: { modelId: model }, mode: { unenforced } }: ModeReply,
): GenerateResult<InferOutput<TDefinition>> {
  const usage = usageOf(conversation);
  const counted = usage === undefined ? {} : { usage };
  return {
    // The definition's schema accepted the value.
    output: answer.output as InferOutput<TDefinition>,
    provenance: {
      ...answer.provenance,
      attempts,
      model,
      ...counted,
      ...(unenforced !== undefined && { unenforced }),
    },
    ...counted,
  };
}

function withEvidence(error: unknown, attempts: readonly Attempt[], conversation: Conversation): unknown {
  if (!EvidenceError.isInstance(error)) return error;
  const usage = usageOf(conversation);
  const { received } = conversation;
  const isKept = received !== undefined && error.code !== 'too-large';
  const attached = attachEvidence(error, { commits: [], ...(isKept && { receivedText: received }) });
  // An interrupted request knows only its own usage.
  if (usage !== undefined) Object.assign(attached, { usage });
  return ModelError.isInstance(attached) ? Object.assign(attached, { attempts: [...attempts] }) : attached;
}
