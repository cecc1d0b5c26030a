/** Owns `streamGenerate()`: `generate()`, whose answer is watched as it grows. */
import type { AnyOutputDefinition, InferOutput } from '../output/definition.ts';
import type { PartialOutput } from '../output/tag-scanner.ts';
import { generate, type GenerateResult } from './generate.ts';
import type { GenerateOptions } from './generate-options.ts';
import { createLatest } from './latest.ts';

/** An answer that is being written. */
export interface GenerateStream<TOutput> {
  /**
   * The answer so far, each time that it has grown: a live, read-only view. A reader that is slow gets the latest. Ends with the answer, and
   * throws what `result` rejects with. For one reader.
   */
  readonly partials: AsyncIterable<PartialOutput<TOutput>>;
  /** The validated answer; rejects as `generate()` does. */
  readonly result: Promise<GenerateResult<TOutput>>;
}

/**
 * Asks a model for an answer as `generate()` does, and tells it as it grows. Asks at once, whether or not anybody reads.
 *
 * A try that fails begins the preview anew: `draft` grows then. A connection that breaks off is no try; the request is repeated.
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
  // The reader of `partials` is told too; a caller who awaits only one of the two must not be ended by the other.
  result.then(
    () => latest.end(),
    (error: unknown) => latest.fail(error),
  );
  return { partials: latest, result };
}
