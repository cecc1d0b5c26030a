/** Our two ways to extract an answer: from the whole text, and from chunks. */
import { Output } from '../../packages/core/src/output/output.ts';
import { createTagScanner } from '../../packages/core/src/output/tag-scanner.ts';
import { safeExtractOutput } from '../../packages/core/src/output/extract-output.ts';
import type { SafeExtractResult } from '../../packages/core/src/output/definition/provenance.ts';
import { answerSchema, type Answer } from '../inputs/answer-schema.ts';
import type { Expected } from '../inputs/transcripts.ts';

export type Extractor = (text: string) => Promise<Expected>;

const PIECE_CHARS = 64 * 1024;
const definition = Output.object({ tag: 'result', schema: answerSchema });

export function makeOurExtractors(): Readonly<Record<'whole' | 'streamed', Extractor>> {
  return {
    whole: async (text) => toExpected(await safeExtractOutput(text, definition)),
    streamed: (text) => extractFromPieces(cut(text)),
  };
}

/** Extracts from chunks as they arrive, without storing them. */
export async function extractFromPieces(pieces: Iterable<string>): Promise<Expected> {
  const scanner = createTagScanner(definition);
  for (const piece of pieces) scanner.push(piece);
  return toExpected(await scanner.finish());
}

function* cut(text: string): Iterable<string> {
  for (let start = 0; start < text.length; start += PIECE_CHARS) yield text.slice(start, start + PIECE_CHARS);
}

function toExpected(result: SafeExtractResult<Answer>): Expected {
  return result.success ? { answer: result.output.answer } : { code: result.error.code };
}
