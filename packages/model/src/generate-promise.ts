/** Promise of an answer, and iterable of its previews. */
import type { AnswerStep } from '@truecast/core/internal/errors/base/answer-step';
import type { Usage } from '@truecast/core/internal/kit/usage';
import type { AnyOutputDefinition, InferOutput } from '@truecast/core/internal/output/definition/definition';
import type { Provenance } from '@truecast/core/internal/output/definition/provenance';
import type { PartialOutput } from '@truecast/core/internal/output/tag-scanner';
import type { GenerateOptions } from './call/generate-options.ts';
import { createLatest, type Latest } from './latest.ts';

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
  extends Promise<GenerateResult<TOutput>>, AsyncIterable<PartialOutput<TOutput>> {}

/** Starts a call, and streams it if a loop over the promise has begun by then. */
export function toGeneratePromise<TDefinition extends AnyOutputDefinition>(
  options: GenerateOptions<TDefinition>,
  ask: (options: GenerateOptions<TDefinition>) => Promise<GenerateResult<InferOutput<TDefinition>>>,
): GeneratePromise<InferOutput<TDefinition>> {
  const latest = createLatest<PartialOutput<InferOutput<TDefinition>>>();
  const left = new AbortController();
  let isRead = false;
  const result = Promise.resolve().then(() =>
    ask(isRead || hasListener(options) ? streamed(options, latest, left.signal) : options),
  );
  async function* read(): AsyncGenerator<PartialOutput<InferOutput<TDefinition>>> {
    try {
      yield* latest;
    } finally {
      left.abort();
    }
  }
  return Object.assign(result, {
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

function hasListener(options: GenerateOptions<AnyOutputDefinition> | undefined): boolean {
  return typeof options?.onPartial === 'function';
}

/** Adds the reader to the options. Invalid ones stay invalid, and are refused with the call. */
function streamed<TDefinition extends AnyOutputDefinition>(
  options: GenerateOptions<TDefinition>,
  latest: Latest<PartialOutput<InferOutput<TDefinition>>>,
  left: AbortSignal,
): GenerateOptions<TDefinition> {
  if (typeof options !== 'object' || options === null) return options;
  if (options.onPartial !== undefined && !hasListener(options)) return options;
  const { signal } = options;
  const isOwn = signal instanceof AbortSignal;
  return {
    ...options,
    ...((isOwn || signal === undefined) && { signal: isOwn ? AbortSignal.any([signal, left]) : left }),
    onPartial(partial) {
      options.onPartial?.(partial);
      latest.put(partial);
    },
  };
}
