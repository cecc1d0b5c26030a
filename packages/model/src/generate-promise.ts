/** Promise of an answer, and iterable of its previews. */
import type { AnswerStep } from '@truecast/core/internal/errors/base/answer-step';
import type { Usage } from '@truecast/core/internal/kit/usage';
import type { AnyOutputDefinition, InferOutput } from '@truecast/core/internal/output/definition/definition';
import type { Provenance } from '@truecast/core/internal/output/definition/provenance';
import { createChannel, type Channel } from '@truecast/core/internal/kit/channel';
import type { ElementFeed } from '@truecast/core/internal/output/validate/element-feed';
import {
  createElementLoop,
  type ElementLoop,
  type ElementOf,
} from '@truecast/core/internal/output/validate/element-loop';
import type { PartialOutput } from '@truecast/core/internal/output/tag-scanner';
import type { GenerateOptions } from './call/generate-options.ts';

/** A valid answer and its cost. */
export interface GenerateResult<TOutput> {
  readonly output: TOutput;
  readonly provenance: Provenance;
  /** Sum over all calls, failed attempts included. Absent if the service reported none. */
  readonly usage?: Usage;
  /** Steps of a model that worked with `tools`, the answer last. Absent without `tools`. */
  readonly steps?: readonly AnswerStep[];
}

/**
 * The validated answer, and with `for await` copies of the answer so far, as it grows, for one reader.
 * A slow reader gets the latest. The loop ends with the answer and
 * throws the error of the promise. To leave it early aborts the call.
 *
 * Begin the loop in the same tick as the call: an answer that nothing reads is not streamed.
 */
export interface GeneratePromise<TOutput>
  extends Promise<GenerateResult<TOutput>>, AsyncIterable<PartialOutput<TOutput>> {
  /**
   * Elements of `Output.array()` for one loop, each as soon as it is complete and valid. Each is validated
   * once, and is the same value in `output`.
   *
   * An invalid element ends the reply. The loop continues with the correction, and
   * does not repeat equal elements. After an end without an error, it has given exactly `output`.
   *
   * @throws StructuredOutputError `restarted` if a correction changes an element that was given. The promise
   *   still resolves.
   */
  readonly elements: AsyncIterable<ElementOf<TOutput>>;
}

/** Starts a call, and streams it if a loop over the promise has begun. */
export function toGeneratePromise<TDefinition extends AnyOutputDefinition>(
  options: GenerateOptions<TDefinition>,
  ask: (
    options: GenerateOptions<TDefinition>,
    elements: ElementFeed | undefined,
  ) => Promise<GenerateResult<InferOutput<TDefinition>>>,
): GeneratePromise<InferOutput<TDefinition>> {
  const latest = createChannel<PartialOutput<InferOutput<TDefinition>>>('latest');
  const left = new AbortController();
  let isRead = false;
  const elements: ElementLoop<ElementOf<InferOutput<TDefinition>>> = createElementLoop({
    output: (options as GenerateOptions<TDefinition> | undefined)?.output,
    result: () => result,
    onLeave: () => left.abort(),
  });
  const result: Promise<GenerateResult<InferOutput<TDefinition>>> = Promise.resolve().then(() => {
    const { feed } = elements;
    // An answer that `onPartial` reads is streamed anyway, and a later loop gets its latest preview.
    const isHeard = isRead || (options as GenerateOptions<TDefinition> | undefined)?.onPartial !== undefined;
    const heard = isHeard ? withListener(options, latest) : options;
    return ask(isRead || feed !== undefined ? abortable(heard, left.signal) : heard, feed);
  });
  async function* read(): AsyncGenerator<PartialOutput<InferOutput<TDefinition>>> {
    try {
      yield* latest;
    } finally {
      left.abort();
    }
  }
  return Object.assign(result, {
    elements,
    [Symbol.asyncIterator]() {
      isRead = true;
      // A caller that only reads gets the failure from the loop, not as an unhandled rejection.
      result.then(
        () => latest.end(),
        (error: unknown) => latest.fail(error),
      );
      return read();
    },
  });
}

/** Adds the reader to the options. Invalid ones stay invalid, and are refused with the call. */
function withListener<TDefinition extends AnyOutputDefinition>(
  options: GenerateOptions<TDefinition>,
  latest: Channel<PartialOutput<InferOutput<TDefinition>>>,
): GenerateOptions<TDefinition> {
  if (typeof options !== 'object' || options === null) return options;
  if (options.onPartial !== undefined && typeof options.onPartial !== 'function') return options;
  return {
    ...options,
    onPartial(partial) {
      options.onPartial?.(partial);
      latest.put(partial);
    },
  };
}

/** Adds the signal of a loop that is left. */
function abortable<TDefinition extends AnyOutputDefinition>(
  options: GenerateOptions<TDefinition>,
  left: AbortSignal,
): GenerateOptions<TDefinition> {
  if (typeof options !== 'object' || options === null) return options;
  const { signal } = options;
  const isOwn = signal instanceof AbortSignal;
  if (signal !== undefined && !isOwn) return options;
  return { ...options, signal: isOwn ? AbortSignal.any([signal, left]) : left };
}
