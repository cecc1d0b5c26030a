/** Owns finding an answer in text that arrives in pieces, and judging it when the text has ended. Pure. */
import { UsageError } from '../errors/usage-error.ts';
import { tagNotFoundError, tooLargeError, truncatedError } from './answer-errors.ts';
import type { DeepPartial } from './deep-partial.ts';
import type { AnyOutputDefinition, InferOutput } from './definition.ts';
import type { SafeExtractResult } from './safe-extract-result.ts';
import { copyJson } from './scan/copy-json.ts';
import { JsonTagScanner } from './scan/json-tag-scanner.ts';
import { createTagFinder } from './scan/tag-finder.ts';
import type { Draft, MatchScanner, ScanOutcome } from './scan/tag-matches.ts';
import { TextTagScanner } from './scan/text-tag-scanner.ts';
import { isLongerThan } from './utf8-length.ts';
import { choiceOf, safeParseAnswer } from './validate-answer.ts';

/** Largest answer that is read unless the definition says otherwise, in bytes of UTF-8. */
const DEFAULT_MAX_PAYLOAD_BYTES: number = 16 * 1024 * 1024;

/** The answer so far, as the agent writes it, before the schema's defaults and transforms; a preview, never the answer. */
export interface PartialOutput<TOutput> {
  /** Undefined until a value was begun. Text comes without the white space at its ends; a choice once it is one of the options. */
  readonly value: DeepPartial<TOutput> | undefined;
  /** Grows by one when the preview begins anew, because the agent did. */
  readonly draft: number;
}

/** Finds the answer of one text. */
export interface TagScanner<TOutput> {
  /** Takes the next piece, wherever it was cut. Ignored after `finish()`. */
  push(chunk: string): void;
  /** Ends the text and judges it; the same result at every call. Never rejects. */
  finish(): Promise<SafeExtractResult<TOutput>>;
  /** A live, read-only view of the answer so far: the same objects all along, which grow within one draft. */
  partial(): PartialOutput<TOutput>;
  /** A copy of the answer so far. */
  snapshot(): PartialOutput<TOutput>;
}

/**
 * Makes a scanner for the answer between a definition's tags.
 *
 * Any slicing of a text gives the same answer as the whole; time is linear in the text, memory in the payload, whatever the text.
 *
 * @throws UsageError when the definition has no tag
 *
 * @example
 * ```ts
 * const scanner = createTagScanner(Output.object({ tag: 'result', schema: z.object({ answer: z.number() }) }));
 * for (const chunk of ['<res', 'ult>{"answer":', '42}</result>']) scanner.push(chunk);
 * const result = await scanner.finish();
 * if (result.success) console.log(result.value.answer);
 * ```
 */
export function createTagScanner<TDefinition extends AnyOutputDefinition>(
  definition: TDefinition,
): TagScanner<InferOutput<TDefinition>> {
  const { tag, maxPayloadBytes = DEFAULT_MAX_PAYLOAD_BYTES } = definition;
  if (tag === undefined) {
    throw new UsageError(
      'Expected a definition with a `tag`, got one without. Give the output a `tag` to find it in text.',
      { code: 'invalid-definition' },
    );
  }
  const scanner = createMatchScanner(definition, tag, maxPayloadBytes);
  const finder = createTagFinder(tag, scanner);
  let chars = 0;
  let result: Promise<SafeExtractResult<InferOutput<TDefinition>>> | undefined;
  return {
    push(chunk) {
      if (result !== undefined) return;
      chars += chunk.length;
      finder.push(chunk);
    },
    finish() {
      if (result === undefined) {
        finder.end();
        result = judge(scanner.finish(chars), definition, maxPayloadBytes);
      }
      return result;
    },
    partial: () => previewOf(scanner.partial(), definition),
    snapshot() {
      const { value, draft } = scanner.partial();
      return previewOf({ value: value === undefined ? undefined : copyJson(value), draft }, definition);
    },
  };
}

function createMatchScanner(
  definition: AnyOutputDefinition,
  tag: string,
  maxPayloadBytes: number,
): MatchScanner {
  const isText = definition._tag === 'string' || definition._tag === 'choice';
  return isText ? new TextTagScanner(tag, maxPayloadBytes) : new JsonTagScanner(tag, maxPayloadBytes);
}

function previewOf<TDefinition extends AnyOutputDefinition>(
  { value, draft }: Draft,
  definition: TDefinition,
): PartialOutput<InferOutput<TDefinition>> {
  const shown =
    definition._tag === 'choice' && typeof value === 'string' ? choiceOf(value, definition.options) : value;
  // What is read is of the definition's kind; that any part of it may still be missing or wrong is what a preview is.
  return { value: shown as DeepPartial<InferOutput<TDefinition>> | undefined, draft };
}

async function judge<TDefinition extends AnyOutputDefinition>(
  outcome: ScanOutcome,
  definition: TDefinition,
  maxPayloadBytes: number,
): Promise<SafeExtractResult<InferOutput<TDefinition>>> {
  if (outcome.type === 'none') return { success: false, error: tagNotFoundError(definition) };
  const { raw, span } = outcome;
  if (raw === undefined || isLongerThan(raw, maxPayloadBytes)) {
    return { success: false, error: tooLargeError(definition, maxPayloadBytes) };
  }
  if (outcome.type === 'truncated') return { success: false, error: truncatedError(definition, raw) };
  return safeParseAnswer(raw, definition, {
    route: 'tag',
    span,
    unclosedTagAfterMatch: outcome.isUnclosedAfter,
  });
}
