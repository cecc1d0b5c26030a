/** Answer extraction from a complete text. Pure. */
import type { AnyOutputDefinition, InferOutput } from './definition/definition.ts';
import type { SafeExtractResult } from './definition/provenance.ts';
import { assertKind } from '../errors/usage-error.ts';
import { assertDefinition } from './definition/assert-definition.ts';
import { judgeFor } from './judge/drive.ts';
import { judgeUntagged } from './judge/judge-untagged.ts';
import { rulesFor } from './judge/rules-for.ts';
import { createTagScanner } from './tag-scanner.ts';

/**
 * Finds, parses and validates the answer in an agent's text.
 *
 * With a tag, the last sealed match is the answer (docs/adr/0003-no-tolerant-json.md). Without one, the answer is
 * the whole text or the one JSON value in it (docs/adr/0215-groups-of-options.md). Linear in
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
