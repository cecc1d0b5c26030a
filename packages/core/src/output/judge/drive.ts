/** Drivers of the judge: by a definition, whose schema can be asynchronous, or by a function. */
import type { StructuredOutputError } from '../../errors/structured-output-error.ts';
import {
  ambiguousError,
  invalidJsonError,
  mismatchError,
  notProducedError,
  tooLargeError,
  truncatedError,
} from '../definition/answer-errors.ts';
import { acceptedAttempt } from '../definition/attempt-of.ts';
import type { AnyOutputDefinition, InferOutput } from '../definition/definition.ts';
import type { Provenance, Route } from '../definition/provenance.ts';
import type { SafeExtractResult } from '../definition/safe-extract-result.ts';
import { schemaHashOf } from '../definition/schema-hash.ts';
import type { Judged, Judging, NoAnswerReason, Refusal } from './judged.ts';
import { exceptionError, validateValue, type Verdict } from './validate-value.ts';

/** Default size limit of an answer, in bytes of UTF-8. */
export const DEFAULT_MAX_PAYLOAD_BYTES: number = 16 * 1024 * 1024;

/** Facts of an answer that its text does not contain. */
export interface AnswerFacts {
  readonly route: Route;
  readonly span?: Provenance['span'];
  readonly unclosedTagAfterMatch?: boolean;
  /** Size limit of the answer, for its message. @default the definition's */
  readonly maxBytes?: number;
  /** Sentences for the caller about a missing answer. @default general ones */
  readonly missing?: Partial<Readonly<Record<NoAnswerReason, string>>>;
}

/** Ends a judgement with the rulings of a function. */
export function judgeBy(judging: Judging, validate: (value: unknown) => Verdict): Judged {
  let step = judging.next();
  while (step.done !== true) step = judging.next(validate(step.value));
  return step.value;
}

/**
 * Ends a judgement with the rulings of a definition. Never rejects: an exception of a validator
 * becomes a `validator-error`.
 */
export async function judgeFor<TDefinition extends AnyOutputDefinition>(
  judging: Judging,
  definition: TDefinition,
  facts: AnswerFacts,
): Promise<SafeExtractResult<InferOutput<TDefinition>>> {
  let step = judging.next();
  while (step.done !== true) step = judging.next(await ruling(step.value, definition));
  const judged = step.value;
  if (judged.type === 'accepted') return accept(judged, definition, facts);
  const error =
    judged.type === 'refused'
      ? refusalError(judged, definition, facts.maxBytes)
      : notProducedError(definition, { message: facts.missing?.[judged.reason] ?? MISSING[judged.reason] });
  return { success: false, error };
}

async function ruling(value: unknown, definition: AnyOutputDefinition): Promise<Verdict> {
  try {
    return await validateValue(value, definition);
  } catch (cause) {
    return { type: 'failed', cause };
  }
}

async function accept<TDefinition extends AnyOutputDefinition>(
  { value, raw, repairs }: Extract<Judged, { readonly type: 'accepted' }>,
  definition: TDefinition,
  { route, span, unclosedTagAfterMatch }: AnswerFacts,
): Promise<SafeExtractResult<InferOutput<TDefinition>>> {
  const schemaHash = await schemaHashOf(definition);
  const provenance: Provenance = {
    route,
    attempts: [acceptedAttempt(raw)],
    raw,
    repairs,
    ...(span !== undefined && { span }),
    ...(schemaHash !== undefined && { schemaHash }),
    ...(unclosedTagAfterMatch === true && { unclosedTagAfterMatch }),
  };
  // The definition's own schema has accepted the value. This is the only place that assigns its
  // type.
  return { success: true, value: value as InferOutput<TDefinition>, provenance };
}

/** Returns the error of a refused answer. */
function refusalError(
  refusal: Refusal,
  definition: AnyOutputDefinition,
  maxBytes: number | undefined,
): StructuredOutputError {
  const { code, raw, cause } = refusal;
  switch (code) {
    case 'invalid-json':
      return invalidJsonError(definition, raw, refusal);
    case 'schema-mismatch':
      return mismatchError(definition, raw, refusal);
    case 'truncated':
      return truncatedError(definition, raw);
    case 'too-large':
      return tooLargeError(definition, maxBytes ?? definition.maxPayloadBytes ?? DEFAULT_MAX_PAYLOAD_BYTES);
    case 'ambiguous':
      return ambiguousError(definition, raw, refusal.reason);
    case 'validator-error':
      return exceptionError(definition, raw, cause);
    default:
      return code satisfies never;
  }
}

const MISSING: Readonly<Record<NoAnswerReason, string>> = {
  withheld:
    'Expected an answer from the model, got a refusal: its service withheld the reply. Change the prompt, or try another model.',
  empty:
    'Expected an answer from the model, got an empty reply. Set `maxRetries`, or try another `route` or model.',
  'no-call':
    'Expected the model to call the tool that receives its answer, got no call, and its text is not the answer either. Set `maxRetries`, or try another `route`.',
  repeated:
    'Expected an answer, got the example or the schema of the prompt, word for word. Set `maxRetries`, or try another model.',
};
