/** `streamGenerate()`: `generate()` with a live preview. */
import type { AnyOutputDefinition, InferOutput } from '@truecast/core/internal/output/definition/definition';
import type { PartialOutput } from '@truecast/core/internal/output/tag-scanner';
import { generate, type GenerateResult } from './generate.ts';
import type { GenerateOptions } from './call/generate-options.ts';
import { createLatest } from './latest.ts';

/** A streaming answer. */
export interface GenerateStream<TOutput> {
  /**
   * The answer so far, each time it has grown: a live, read-only view. A slow reader gets the
   * latest. Ends with the answer, and throws the error of `result`. For one reader.
   */
  readonly partials: AsyncIterable<PartialOutput<TOutput>>;
  /** The validated answer. Rejects as `generate()` does. */
  readonly result: Promise<GenerateResult<TOutput>>;
}

/**
 * Asks a model for an answer as `generate()` does, and streams previews. Starts at once, with or
 * without a reader.
 *
 * A failed attempt restarts the preview and increments `draft`. An interrupted connection is not an
 * attempt; the request is retried.
 *
 * @example
 * ```ts
 * const { partials, result } = streamGenerate({
 *   model: openAICompatible({ baseURL: 'http://localhost:11434/v1', model: 'qwen3:8b' }),
 *   prompt: 'Describe Mars.',
 *   output: Output.object({ schema: z.object({ title: z.string(), facts: z.array(z.string()) }) }),
 * });
 * for await (const { value } of partials) console.log(value?.title, value?.facts?.length);
 * console.log((await result).output.facts);
 * ```
 */
export function streamGenerate<TDefinition extends AnyOutputDefinition>(
  options: GenerateOptions<TDefinition>,
): GenerateStream<InferOutput<TDefinition>> {
  const latest = createLatest<PartialOutput<InferOutput<TDefinition>>>();
  const onPartial = (partial: PartialOutput<InferOutput<TDefinition>>): void => {
    options.onPartial?.(partial);
    latest.put(partial);
  };
  const result = generate({ ...options, onPartial });
  // The error also goes to the reader of `partials`. A caller that awaits only one of the two must
  // not crash because of the other.
  result.then(
    () => latest.end(),
    (error: unknown) => latest.fail(error),
  );
  return { partials: latest, result };
}
