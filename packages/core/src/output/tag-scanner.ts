/**
 * Tag scanner: finds an answer in text that arrives in pieces, and validates it at the end of the
 * text. Pure.
 */
import { assertKind, UsageError } from '../errors/usage-error.ts';
import { assertDefinition } from './definition/assert-definition.ts';
import { refusalError, tagNotFoundError } from './definition/answer-errors.ts';
import { maxBytesOf } from './definition/assert-output-options.ts';
import type { AnyOutputDefinition, DeepPartial, InferOutput } from './definition/definition.ts';
import type { SafeExtractResult } from './definition/provenance.ts';
import { copyJson } from '../json/scan/partial-builder.ts';
import { JsonReader } from './scan/json-reader.ts';
import { MatchScanner, type Draft, type ScanOutcome } from './scan/match-scanner.ts';
import { createTagFinder } from './scan/tag-finder.ts';
import { TextReader } from './scan/text-reader.ts';
import { isLongerThan } from '../kit/utf8-length.ts';
import { judgeFor } from './judge/drive.ts';
import { judgeText } from './judge/judge-written.ts';
import { refuse } from './judge/judged.ts';
import { rulesFor } from './judge/rules-for.ts';
import type { KnownElements } from './judge/validate-value.ts';
import { previewOf, answerWordsOf } from './definition/output-kinds.ts';

/**
 * Partial answer as the agent writes it, before the schema's defaults and transforms. A preview,
 * never the answer.
 */
export interface PartialOutput<TOutput> {
  /**
   * Undefined until a value has started. Text is trimmed at both ends. A choice is shown after it
   * equals one of the options.
   */
  readonly value: DeepPartial<TOutput> | undefined;
  /** Grows by one if the agent starts again and the preview restarts. */
  readonly draft: number;
}

/** Finds the answer of one text. */
export interface TagScanner<TOutput> {
  /** Accepts the next piece, with arbitrary boundaries. Ignored after `finish()`. */
  push(chunk: string): void;
  /**
   * Ends the text and validates the answer. Returns the same result at every call. Never rejects.
   */
  finish(): Promise<SafeExtractResult<TOutput>>;
  /**
   * Returns a live, read-only view of the partial answer. The same objects grow within one draft.
   */
  partial(): PartialOutput<TOutput>;
  /** Returns a copy of the partial answer. */
  snapshot(): PartialOutput<TOutput>;
}

/**
 * Creates a scanner for the answer between a definition's tags.
 *
 * Any split of a text gives the same answer as the whole. Time is linear in the text, and memory in
 * the payload.
 *
 * @throws UsageError if the definition has no tag
 *
 * @example
 * ```ts
 * const scanner = createTagScanner(Output.object({ tag: 'result', schema: z.object({ answer: z.number() }) }));
 * for (const chunk of ['<res', 'ult>{"answer":', '42}</result>']) scanner.push(chunk);
 * const result = await scanner.finish();
 * if (result.success) console.log(result.output.answer);
 * ```
 */
export function createTagScanner<TDefinition extends AnyOutputDefinition>(
  definition: TDefinition,
): TagScanner<InferOutput<TDefinition>> {
  return createScanner(definition, undefined);
}

/** Creates a scanner that does not validate known elements again. */
export function createScanner<TDefinition extends AnyOutputDefinition>(
  definition: TDefinition,
  known: KnownElements | undefined,
): TagScanner<InferOutput<TDefinition>> {
  assertDefinition(definition, 'definition');
  const { tag } = definition;
  if (tag === undefined) {
    throw new UsageError(
      'Expected a definition with a `tag`, got one without. Set `tag` to find it in text.',
      { code: 'invalid-definition' },
    );
  }
  const isText = answerWordsOf(definition) !== undefined;
  const scanner = new MatchScanner(tag, maxBytesOf(definition), isText ? TextReader : JsonReader);
  const finder = createTagFinder(tag, scanner);
  let chars = 0;
  let result: Promise<SafeExtractResult<InferOutput<TDefinition>>> | undefined;
  return {
    push(chunk) {
      if (result !== undefined) return;
      assertKind(chunk, 'a string', 'chunk', "Pass the next piece of the agent's text.");
      chars += chunk.length;
      finder.push(chunk);
    },
    finish() {
      if (result === undefined) {
        finder.end();
        result = judge(scanner.finish(chars), definition, known);
      }
      return result;
    },
    partial: () => partialOf(scanner.partial(), definition),
    snapshot() {
      const { value, draft } = scanner.partial();
      return partialOf({ value: value === undefined ? undefined : copyJson(value), draft }, definition);
    },
  };
}

function partialOf<TDefinition extends AnyOutputDefinition>(
  { value, draft }: Draft,
  definition: TDefinition,
): PartialOutput<InferOutput<TDefinition>> {
  const shown = previewOf(value, definition);
  // The parsed value has the definition's kind. Any part of a preview can still be missing or
  // wrong.
  return { value: shown as DeepPartial<InferOutput<TDefinition>> | undefined, draft };
}

async function judge<TDefinition extends AnyOutputDefinition>(
  outcome: ScanOutcome,
  definition: TDefinition,
  known: KnownElements | undefined,
): Promise<SafeExtractResult<InferOutput<TDefinition>>> {
  if (outcome.type === 'none') return { success: false, error: tagNotFoundError(definition) };
  const { raw, span } = outcome;
  if (raw === undefined || isLongerThan(raw, maxBytesOf(definition))) {
    return { success: false, error: refusalError(definition, refuse('too-large', '')) };
  }
  if (outcome.type === 'truncated') {
    return { success: false, error: refusalError(definition, refuse('truncated', raw)) };
  }
  const judging = judgeText(raw, { ...rulesFor(definition), isTagged: true });
  return judgeFor(judging, definition, {
    mode: 'tag',
    span,
    unclosedTagAfterMatch: outcome.isUnclosedAfter,
    known,
  });
}
