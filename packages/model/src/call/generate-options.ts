/** Options of `generate()` and their validation before any request. */
import type { AnswerMode } from '@truecast/core/internal/output/definition/provenance';
import { assertKind, assertSignal, UsageError } from '@truecast/core/internal/errors/usage-error';
import { assertAnswerable } from '@truecast/core/internal/output/definition/assert-definition';
import { toOutputDefinition } from '@truecast/core/internal/output/output';
import { assertKnownOptions, type OptionNames } from '@truecast/core/internal/options/known-options';
import { describeValue } from '@truecast/core/internal/kit/describe-value';
import type { Prices, Usage } from '@truecast/core/internal/kit/usage';
import type { AnyOutputDefinition, InferOutput } from '@truecast/core/internal/output/definition/definition';
import { assertMessages, type GenerateMessage } from '../messages/generate-messages.ts';
import { assertModelSettings, SETTING_NAMES, type ModelSettings } from './model-settings.ts';
import type { AnswerStep } from '@truecast/core/internal/errors/base/answer-step';
import type { GenerateTool } from '../tools/generate-tool.ts';
import { assertToolOptions } from '../tools/tool-options.ts';
import type { PartialOutput } from '@truecast/core/internal/output/tag-scanner';

/** A language model of the AI SDK, from any provider. */
export interface GenerateModel {
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
  doGenerate(options: never): PromiseLike<unknown>;
  doStream(options: never): PromiseLike<unknown>;
}

/** How the answer travels from the model. */
export type GenerateMode = Extract<AnswerMode, 'native' | 'tool' | 'json' | 'tag'>;

/** Budget of one answer. Once it is spent, no further attempt starts. */
export interface GenerateBudget {
  /** Input and output tokens over all attempts. */
  readonly tokens?: number;
  /** US dollars over all attempts. Needs `prices`. */
  readonly usd?: number;
  /** Number of attempts, the first included. */
  readonly attempts?: number;
}

/** One request to the model service, as passed to `onCall`. */
export interface GenerateCall {
  /** The model's id, as the service reports it if it answered. */
  readonly model: string;
  /** As the service reported it, priced if `prices` are set. Absent if it reported none. */
  readonly usage?: Usage;
  readonly durationMs: number;
  /**
   * `ok`, the code of its `StructuredOutputError` or `ModelError`, `unsupported` if the service
   * lacks the mode, or `aborted`.
   */
  readonly code: string;
  /** The model's reasoning, if the service reports it. */
  readonly reasoning?: string;
  /** True if a content filter withheld the reply: its text is not an answer. */
  readonly isWithheld?: true;
}

/** Options of `generate()`. */
export interface GenerateOptions<
  TDefinition extends AnyOutputDefinition,
  TInputs = Readonly<Record<string, never>>,
> extends ModelSettings {
  /** A language model of the AI SDK, or `openAICompatible()`. */
  readonly model: GenerateModel;
  /** The question, instead of `messages`. */
  readonly prompt?: string;
  /** The conversation to continue with the answer, instead of `prompt`: the AI SDK's messages. */
  readonly messages?: readonly GenerateMessage[];
  /** Instructions to the model, before the question, as in the AI SDK. @default none */
  readonly instructions?: string;
  /** Definition of the answer. */
  readonly output: TDefinition;
  /**
   * Tools that the model works with before it answers. The answer is then asked for by the mode `tool`.
   * @default none
   */
  readonly tools?: { readonly [Name in keyof TInputs]: GenerateTool<TInputs[Name]> };
  /** Maximum replies of the model with `tools`. The last two can only be the answer. @default 20 */
  readonly maxSteps?: number;
  /** Attempts after the first; 0 disables retries. @default the output's, else 2 */
  readonly maxCorrections?: number;
  /** How the answer travels. `auto` chooses the best that the model supports. @default "auto" */
  readonly mode?: 'auto' | GenerateMode;
  /**
   * Accepts the one object in a longer reply that fits the output, also with repaired syntax, and
   * labels it in `provenance.repairs`. Saves a request when a small model adds a sentence.
   * @default false
   */
  readonly lenient?: boolean;
  /** Limits on tokens, dollars and attempts. */
  readonly budget?: GenerateBudget;
  /** Aborts the call: rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Token prices, to compute `usage.costUsd`. */
  readonly prices?: Prices;
  /**
   * File for one line per answer or failure, without its payload. `truecast report <file>` reads
   * it. @default none
   */
  readonly outcomes?: string;
  /**
   * Called when a request ends, also one that failed and is retried. Awaited before the answer is
   * used or the next request is sent. An error it throws ends the call.
   */
  onCall?(call: GenerateCall): void | Promise<void>;
  /**
   * Called after each step with `tools`, once its calls have results. Awaited before the next step. An
   * error it throws ends the call.
   */
  onStep?(step: AnswerStep): void | Promise<void>;
  /** Streams the calls and reports the growing answer: a preview, never the answer. */
  onPartial?(partial: PartialOutput<InferOutput<TDefinition>>): void;
}

const MODES: readonly string[] = ['auto', 'native', 'tool', 'json', 'tag'];
const DEFAULT_MAX_RETRIES = 2;

/** Normalized options. */
export interface GenerateSettings {
  readonly messages: readonly GenerateMessage[];
  readonly maxAttempts: number;
  readonly mode: 'auto' | GenerateMode;
}

/** Returns true if another attempt would not improve what the model answered. */
export type FutileTest = (received: string, attempt: number) => boolean;

/**
 * Validates the options before any request.
 *
 * @throws UsageError for an invalid option, or two that exclude each other
 */
export function normalizeGenerateOptions(options: GenerateOptions<AnyOutputDefinition>): GenerateSettings {
  const hint = 'Options of one provider belong in `providerOptions`.';
  assertKnownOptions(options, { of: '`generate()`', names: OPTION_NAMES, moved: MOVED, hint });
  const { model, output, budget, prices, signal } = options;
  assertSignal(signal);
  assertModel(model);
  assertOutput(output);
  assertModelSettings(options);
  assertCallback('onPartial', options.onPartial);
  assertCallback('onCall', options.onCall);
  assertCount('maxSteps', options.maxSteps, 1);
  assertToolOptions(options);
  const maxCorrections = options.maxCorrections ?? output.maxCorrections ?? DEFAULT_MAX_RETRIES;
  assertCount('maxCorrections', maxCorrections, 0);
  assertCount('budget.attempts', budget?.attempts, 1);
  assertPositive('budget.tokens', budget?.tokens);
  assertPositive('budget.usd', budget?.usd);
  if (prices !== undefined) assertPrices(prices);
  if (budget?.usd !== undefined && prices === undefined) {
    throw new UsageError(
      'Expected `prices` with `budget.usd`, got none: providers do not report the cost of a call. Set `prices`.',
    );
  }
  const maxAttempts = Math.min(maxCorrections + 1, budget?.attempts ?? Number.POSITIVE_INFINITY);
  return { messages: messagesOf(options), maxAttempts, mode: modeOf(options) };
}

const OPTION_NAMES: OptionNames<GenerateOptions<AnyOutputDefinition>> = {
  ...SETTING_NAMES,
  model: true,
  prompt: true,
  messages: true,
  instructions: true,
  output: true,
  tools: true,
  maxSteps: true,
  maxCorrections: true,
  mode: true,
  lenient: true,
  budget: true,
  signal: true,
  prices: true,
  outcomes: true,
  onCall: true,
  onStep: true,
  onPartial: true,
};

/** Names of the AI SDK, and times outside of their group. */
const MOVED = {
  schema: 'output: Output.object({ schema })',
  maxTokens: 'maxOutputTokens',
  abortSignal: 'signal',
  stopWhen: 'maxSteps',
  onStepFinish: 'onStep',
  onStepEnd: 'onStep',
  system: 'instructions',
  idleTimeoutMs: 'timeouts: { idleMs }',
  loadingTimeoutMs: 'timeouts: { loadingMs }',
  timeoutMs: 'timeouts: { requestMs }',
};

function assertCallback(name: string, callback: unknown): void {
  if (callback !== undefined) assertKind(callback, 'a function', name, 'Pass one, or leave it out.');
}

function assertOutput(output: unknown): void {
  const definition = toOutputDefinition(output);
  if (definition !== undefined) {
    assertAnswerable(definition);
    return;
  }
  throw new UsageError(
    `Expected \`output\` to be created with \`Output\`, got ${describeValue(output)}. Write \`Output.object({ schema })\`.`,
  );
}

/** Rejects an object without a language model's methods. */
export function assertModel(model: GenerateModel): void {
  if (typeof model?.doGenerate === 'function' && typeof model.doStream === 'function') return;
  throw new UsageError(
    `Expected \`model\` to be a language model of the AI SDK, got ${describeValue(model)}. Pass one, such as \`openAICompatible({ baseURL, model })\`.`,
  );
}

function messagesOf(options: GenerateOptions<AnyOutputDefinition>): readonly GenerateMessage[] {
  const { instructions } = options;
  const asked = questionOf(options);
  if (instructions === undefined) return asked;
  assertText('instructions', instructions, 'Pass a text, or leave it out.');
  return [{ role: 'system', content: instructions }, ...asked];
}

function assertText(name: string, text: unknown, next: string): void {
  if (typeof text === 'string' && text.trim() !== '') return;
  throw new UsageError(`Expected \`${name}\` to be a non-empty string, got ${describeValue(text)}. ${next}`);
}

function questionOf({ prompt, messages }: GenerateOptions<AnyOutputDefinition>): readonly GenerateMessage[] {
  if ((prompt === undefined) === (messages === undefined)) {
    throw new UsageError('Expected either `prompt` or `messages`, got both or neither. Pass exactly one.');
  }
  if (prompt !== undefined) assertText('prompt', prompt, 'Pass the question.');
  if (messages !== undefined) assertMessages(messages);
  return messages ?? [{ role: 'user', content: prompt ?? '' }];
}

function modeOf({ output, mode = 'auto' }: GenerateOptions<AnyOutputDefinition>): 'auto' | GenerateMode {
  if (!MODES.includes(mode)) {
    throw new UsageError(`Expected \`mode\` to be one of ${MODES.join(', ')}, got ${describeValue(mode)}.`);
  }
  if (output.mode === 'mcp') {
    throw new UsageError("`mode: 'mcp'` is a mode of `run()`. Use `mode: 'tool'`, or leave it out.");
  }
  if (mode !== 'auto' && output.mode !== undefined && output.mode !== mode) {
    throw new UsageError(
      `Expected \`mode\` and the output's \`mode\` to agree, got \`${mode}\` and \`${output.mode}\`. Leave one out.`,
    );
  }
  const asked = mode === 'auto' ? (output.mode ?? 'auto') : mode;
  if (output.tag === undefined && asked === 'tag') {
    throw new UsageError('Expected the output to have a `tag` for the tag mode, got none. Give it one.');
  }
  if (output.tag !== undefined && asked !== 'auto' && asked !== 'tag') {
    throw new UsageError(
      `Expected no \`tag\` with the mode \`${asked}\`, got \`${output.tag}\`. Leave one out.`,
    );
  }
  return output.tag === undefined ? asked : 'tag';
}

/** Rejects a value that is not an integer of at least `least`. */
export function assertCount(name: string, value: number | undefined, least: number): void {
  if (value === undefined || (Number.isInteger(value) && value >= least)) return;
  throw new UsageError(
    `Expected \`${name}\` to be a whole number of ${least} or more, got ${describeValue(value)}. Correct it.`,
  );
}

/**
 * Rejects prices that would make every cost `NaN`.
 *
 * @throws UsageError `invalid-option`
 */
export function assertPrices(prices: Prices): void {
  assertKind(prices, 'an object', 'prices', 'Pass `{ inputUsdPerMillion, outputUsdPerMillion }`.');
  for (const name of ['inputUsdPerMillion', 'outputUsdPerMillion'] as const) {
    if (typeof prices[name] !== 'number' || !(prices[name] >= 0)) {
      throw new UsageError(
        `Expected \`prices.${name}\` to be a number of 0 or more, got ${describeValue(prices[name])}. Correct it.`,
      );
    }
  }
}

function assertPositive(name: string, value: number | undefined): void {
  if (value === undefined || (typeof value === 'number' && value > 0)) return;
  throw new UsageError(
    `Expected \`${name}\` to be a number above 0, got ${describeValue(value)}. Correct it.`,
  );
}
