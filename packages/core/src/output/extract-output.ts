/** Answer extraction from a complete text. Pure. */
import type { AnyOutputDefinition, InferOutput } from './definition/definition.ts';
import type { SafeExtractResult } from './definition/provenance.ts';
import { assertKind } from '../errors/usage-error.ts';
import { assertDefinition } from './definition/assert-definition.ts';
import { judgeFor } from './judge/drive.ts';
import { rulesFor } from './judge/rules-for.ts';
import { createTagScanner } from './tag-scanner.ts';
import { isLongerThan } from '../kit/utf8-length.ts';
import { labels, refuse, type JudgeRules, type Judging } from './judge/judged.ts';
import { judgeText } from './judge/judge-written.ts';

/**
 * Finds, parses and validates the answer in an agent's text.
 *
 * With a tag, the last sealed match is the answer (docs/adr/0003-no-tolerant-json.md). Without one, the answer is
 * the whole text or the one JSON value in it (docs/adr/0203-one-word-for-one-meaning.md). Linear in
 * `text.length`.
 *
 * @param text - all text of the agent, any length
 * @throws StructuredOutputError with an error code
 *
 * @example
 * ```ts
 * const output = Output.object({ tag: 'result', schema: z.object({ answer: z.number() }) });
 * const { answer } = await extractOutput('In a <result> tag: <result>{"answer":42}</result>', output);
 * ```
 * @public
 */
export async function extractOutput<TDefinition extends AnyOutputDefinition>(
  text: string,
  definition: TDefinition,
): Promise<InferOutput<TDefinition>> {
  const result = await safeExtractOutput(text, definition);
  if (!result.success) throw result.error;
  return result.output;
}

/**
 * Like `extractOutput`, but returns errors as data, and includes how the answer was obtained. Never
 * rejects for any text.
 *
 * @example
 * ```ts
 * const result = await safeExtractOutput(text, Output.string({ tag: 'summary' }));
 * console.log(result.success ? result.output : result.error.code);
 * ```
 */
export async function safeExtractOutput<TDefinition extends AnyOutputDefinition>(
  text: string,
  definition: TDefinition,
): Promise<SafeExtractResult<InferOutput<TDefinition>>> {
  assertDefinition(definition, 'definition');
  if (definition.tag === undefined) {
    assertKind(text, 'a string', 'text', "Pass the agent's text.");
    return judgeFor(judgeUntagged(text, rulesFor(definition)), definition, { mode: 'json' });
  }
  const scanner = createTagScanner(definition);
  scanner.push(text);
  return scanner.finish();
}

/** Label of an answer that was found in a longer text. */
const FOUND_IN_TEXT = 'found-in-text';

/**
 * Judges a text. The value in it reaches from the first bracket to the last one, so of two values
 * neither is taken.
 *
 * @yields each value to validate
 */
function* judgeUntagged(text: string, rules: JudgeRules): Judging {
  const { maxBytes = Number.POSITIVE_INFINITY, words } = rules;
  const isLong = isLongerThan(text, maxBytes);
  const whole = isLong ? refuse('too-large', text) : yield* judgeText(text, rules);
  const isNoJson = whole.type === 'refused' && (isLong || whole.code === 'invalid-json');
  if (!isNoJson || words !== undefined) return whole;
  const value = valueIn(text);
  if (value === undefined) return { type: 'no-answer', reason: 'no-json' };
  if (value === text.trim()) return whole;
  if (isLongerThan(value, maxBytes)) return refuse('too-large', text);
  return yield* judgeText(value, { ...rules, repairs: labels(FOUND_IN_TEXT) });
}

function valueIn(text: string): string | undefined {
  const start = text.search(/[[{]/u);
  const end = Math.max(text.lastIndexOf('}'), text.lastIndexOf(']')) + 1;
  return start === -1 || end <= start ? undefined : text.slice(start, end);
}
