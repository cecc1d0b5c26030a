/** Reply reader of the modes: a model's reply in the judge's terms, and the judge's verdict. */
import { FINALIZER_NAME } from '@truecast/core/internal/output/finalizer/finalizer-tool';
import { copiesDemonstration } from '@truecast/core/internal/output/definition/demonstration';
import { refusalError } from '@truecast/core/internal/output/definition/answer-errors';
import type { AnyOutputDefinition } from '@truecast/core/internal/output/definition/definition';
import type { SafeExtractResult } from '@truecast/core/internal/output/definition/provenance';
import { createScanner } from '@truecast/core/internal/output/tag-scanner';
import { judgeFor, judgeReply } from '@truecast/core/internal/output/judge/drive';
import type { KnownElements } from '@truecast/core/internal/output/judge/validate-value';
import { judgeLeniently } from '@truecast/core/internal/output/judge/judge-leniently';
import {
  refuseEnded,
  type Judged,
  type JudgeRules,
  type Reply,
  type WrittenCall,
} from '@truecast/core/internal/output/judge/judged';
import type { CandidateReader } from '@truecast/core/internal/output/candidates/lenient-candidates';
import { rulesFor } from '@truecast/core/internal/output/judge/rules-for';
import type { GenerateModel, GenerateMode } from '../call/generate-options.ts';
import { isWithheld, type ModelReply, type ModelToolCall } from '../call/model-reply.ts';

/** The answer and the model that a mode serves. */
export interface ModeTarget {
  readonly output: AnyOutputDefinition;
  readonly model: GenerateModel;
  /** Finds candidates in text that is not an answer as a whole. Undefined if answers are strict. */
  readonly lenient?: CandidateReader | undefined;
  /** Texts of the caller's messages. @default none */
  readonly said?: readonly string[];
  /** Elements that were validated while the reply was written. @default none */
  readonly known?: KnownElements | undefined;
}

/** Judges a reply to a request by a mode. Never rejects. */
export function readReply(
  reply: ModelReply,
  target: ModeTarget,
  { mode, inverse }: { readonly mode: GenerateMode; readonly inverse?: (value: unknown) => unknown },
): Promise<SafeExtractResult<unknown>> {
  const written = toReply(reply);
  if (mode === 'tag' && written.ending !== 'withheld') return readTagged(written, target);
  const isTold = target.said?.some((each) => copiesDemonstration(each)) === true;
  const rules = {
    ...rulesOf(target),
    known: target.known,
    ...(inverse !== undefined && { inverse }),
    ...(mode === 'json' && !isTold && { isCopied: copiesDemonstration }),
  };
  return judgeReply(written, target.output, { mode, ...rules });
}

/** Judges a text with the answer between tags, or leniently without them. */
async function readTagged(reply: Reply, target: ModeTarget): Promise<SafeExtractResult<unknown>> {
  const { text } = reply;
  const { output, lenient, known } = target;
  const scanner = createScanner(output, known);
  scanner.push(text);
  const strict = await scanner.finish();
  if (strict.success) return strict;
  // More text could have closed the tag, or corrected the answer.
  const ended = refuseEnded(reply, text);
  if (ended !== undefined) return { success: false, error: refusalError(output, ended) };
  if (lenient === undefined || strict.error.code !== 'tag-not-found') return strict;
  const rules = { ...rulesFor(output), ...rulesOf(target), isTagged: true };
  const judging = judgeLeniently({ text, strict: NO_TAG, isCall: false }, rules);
  const found = await judgeFor(judging, output, { mode: 'tag', known });
  return found.success || found.error.code === 'ambiguous' ? found : strict;
}

/** The level, and the prompt: it can repeat its whole prompt, examples included. */
function rulesOf({ output, lenient: reader, said = [] }: ModeTarget): JudgeRules {
  const { ownTexts } = rulesFor(output);
  return { ownTexts: () => [...(ownTexts?.() ?? []), ...said], ...(reader !== undefined && { reader }) };
}

const NO_TAG: Judged = { type: 'no-answer', reason: 'empty' };

/** Returns a reply in the judge's terms. */
function toReply(reply: ModelReply): Reply {
  const { text, reasoningText: reasoning, toolCalls, finishReason } = reply;
  const written = toolCalls.map((call) => writtenCall(call, reply));
  const isOurs = ({ toolName }: ModelToolCall): boolean => toolName === FINALIZER_NAME;
  const otherCall = written.at(-1);
  return {
    text,
    reasoning,
    submissions: written.filter((_, index) => toolCalls.slice(index, index + 1).some(isOurs)),
    ...(otherCall !== undefined && { otherCall }),
    ending: isWithheld(reply) ? 'withheld' : finishReason === 'length' ? 'cut' : 'whole',
    ...(reply.repeats !== undefined && { ending: 'runaway', repeats: reply.repeats }),
  };
}

/** The input as the model wrote it. Only a stream of one call has it as text. */
function writtenCall(
  { input, isUnreadable }: ModelToolCall,
  { toolCalls, toolInputText }: ModelReply,
): WrittenCall {
  if (isUnreadable) return { text: String(input) };
  const text = toolCalls.length === 1 ? toolInputText : undefined;
  return { text: text ?? JSON.stringify(input), isParsedElsewhere: true };
}
