/** Drivers of the judge: by a definition, whose schema can be asynchronous, or by a function. */
import { notProducedError, refusalError, acceptedAttempt } from '../definition/answer-errors.ts';
import type { AnyOutputDefinition, InferOutput } from '../definition/definition.ts';
import type { AnswerMode, Provenance, SafeExtractResult } from '../definition/provenance.ts';
import { schemaHashOf } from '../definition/output-json-schema.ts';
import { judge } from './judge-reply.ts';
import type { Judged, JudgeRules, Judging, NoAnswerReason, Reply } from './judged.ts';
import { rulesFor } from './rules-for.ts';
import { validateValue, type KnownElements, type Verdict } from './validate-value.ts';

/** Facts of an answer that its text does not contain. */
export interface AnswerFacts {
  readonly mode: AnswerMode;
  readonly span?: Provenance['span'];
  readonly unclosedTagAfterMatch?: boolean;
  /** Elements that were validated while the answer was written. @default none */
  readonly known?: KnownElements | undefined;
}

/** Ends a judgement with the rulings of a function. */
export function judgeBy(judging: Judging, validate: (value: unknown) => Verdict): Judged {
  let step = judging.next();
  while (step.done !== true) step = judging.next(validate(step.value));
  return step.value;
}

/**
 * Judges a reply by a definition: the entry of every route whose schema can be asynchronous. Never
 * rejects: an exception of a validator becomes a `validator-error`.
 *
 * @param rules - rules beside those of the definition, such as the level
 */
export function judgeReply<TDefinition extends AnyOutputDefinition>(
  reply: Partial<Reply>,
  definition: TDefinition,
  { mode, known, ...rules }: JudgeRules & Pick<AnswerFacts, 'mode' | 'known'>,
): Promise<SafeExtractResult<InferOutput<TDefinition>>> {
  const asked = mode === 'tool' || mode === 'mcp' ? 'call' : 'text';
  return judgeFor(judge({ text: '', ...reply }, { ...rulesFor(definition), ...rules }, asked), definition, {
    mode,
    known,
  });
}

/** Ends a judgement with the rulings of a definition. Never rejects. */
export async function judgeFor<TDefinition extends AnyOutputDefinition>(
  judging: Judging,
  definition: TDefinition,
  facts: AnswerFacts,
): Promise<SafeExtractResult<InferOutput<TDefinition>>> {
  let step = judging.next();
  while (step.done !== true) step = judging.next(await validateValue(step.value, definition, facts.known));
  const judged = step.value;
  if (judged.type === 'accepted') return accept(judged, definition, facts);
  const error =
    judged.type === 'refused'
      ? refusalError(definition, judged)
      : notProducedError(definition, { message: MISSING[judged.reason] });
  return { success: false, error };
}

async function accept<TDefinition extends AnyOutputDefinition>(
  { value, raw, repairs }: Extract<Judged, { readonly type: 'accepted' }>,
  definition: TDefinition,
  { mode, span, unclosedTagAfterMatch }: AnswerFacts,
): Promise<SafeExtractResult<InferOutput<TDefinition>>> {
  const schemaHash = await schemaHashOf(definition);
  const provenance: Provenance = {
    mode,
    attempts: [acceptedAttempt(raw)],
    raw,
    repairs,
    ...(span !== undefined && { span }),
    ...(schemaHash !== undefined && { schemaHash }),
    ...(unclosedTagAfterMatch === true && { unclosedTagAfterMatch }),
  };
  // The definition's own schema has accepted the value. This is the only place that assigns its
  // type.
  return { success: true, output: value as InferOutput<TDefinition>, provenance };
}

const MISSING: Readonly<Record<NoAnswerReason, string>> = {
  withheld:
    'Expected an answer from the model, got a refusal: its service withheld the reply. Change the prompt, or try another model.',
  empty:
    'Expected an answer from the model, got an empty reply. Set `maxCorrections`, or try another `mode` or model.',
  'no-call':
    'Expected the model to call the tool that receives its answer, got no call, and its text is not the answer either. Set `maxCorrections`, or try another `mode`.',
  'no-json':
    'Expected an answer, got text without JSON. Ask for JSON, or set `tag` and show it in the prompt.',
  repeated:
    'Expected an answer, got the example or the schema of the prompt, word for word. Set `maxCorrections`, or try another model.',
};
