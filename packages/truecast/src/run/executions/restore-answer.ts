/** Stored answer of a run: validated again by its schema, so that its value has the schema's type. */
import type { AnyOutputDefinition } from '@truecast/core/internal/output/definition/definition';
import type { Provenance, SafeExtractResult } from '@truecast/core/internal/output/definition/provenance';
import { judgeReply } from '@truecast/core/internal/output/judge/drive';
import { createTagScanner } from '@truecast/core/internal/output/tag-scanner';
import type { NativeSchema } from '../../ports/agent-provider.ts';
import type { RunAnswer } from '../context/run-answer.ts';
import type { StoredAnswer } from './execution-record.ts';

/**
 * Returns the answer. Undefined for a run without an output.
 *
 * @throws StructuredOutputError if the schema does not accept it any more
 */
export async function restoreAnswer(
  { provenance, isTreeChecked }: StoredAnswer,
  output: AnyOutputDefinition | undefined,
  native: NativeSchema | undefined,
): Promise<RunAnswer | undefined> {
  if (output === undefined || provenance === undefined) return undefined;
  const judged = await judgeAgain(provenance, output, native);
  if (!judged.success) throw judged.error;
  return { value: judged.output, provenance, isTreeChecked };
}

/** Reads the text in the form in which it came. */
function judgeAgain(
  { mode, raw }: Provenance,
  output: AnyOutputDefinition,
  native: NativeSchema | undefined,
): Promise<SafeExtractResult<unknown>> {
  if (mode === 'tag') {
    const scanner = createTagScanner(output);
    scanner.push(`<${output.tag}>${raw}</${output.tag}>`);
    return scanner.finish();
  }
  const inverse = native === undefined ? {} : { inverse: native.inverse };
  const reply = mode === 'mcp' ? { submissions: [{ text: raw }] } : { text: raw };
  return judgeReply(reply, output, { mode, ...inverse });
}
