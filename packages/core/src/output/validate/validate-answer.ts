/** Answer validation: the judge's verdict on a text, or on a value from a route. Pure. */
import type { AnyOutputDefinition, InferOutput } from '../definition/definition.ts';
import type { Repair } from '../definition/provenance.ts';
import type { SafeExtractResult } from '../definition/safe-extract-result.ts';
import { refuseDangerousKeys } from '../json/bounded-json.ts';
import { judgeFor, type AnswerFacts } from '../judge/drive.ts';
import { refuse, type JudgeRules, type Judging } from '../judge/judged.ts';
import { judgeText } from '../judge/judge-text.ts';
import { judgeWritten } from '../judge/judge-written.ts';
import { rulesFor } from '../judge/rules-for.ts';

/** Origin of the value to validate. */
export interface AnswerOrigin extends Omit<AnswerFacts, 'missing' | 'maxBytes'> {
  /** Converts the parsed answer back to the definition's form, before it is validated. */
  readonly inverse?: (value: unknown) => unknown;
  /** True if another program parsed the value. An integer above 2^53 can have been rounded. */
  readonly isParsedElsewhere?: boolean;
  /** Repairs that were made before the value was found. */
  readonly repairs?: readonly Repair[];
}

/**
 * Validates the text of an answer: trims it, unwraps one fence, parses, validates.
 *
 * If the whole text is not an answer, the text without its reasoning and its template's marks is
 * tried, as a labelled repair. Never on the tag route.
 *
 * Never rejects: an exception of a validator becomes a `validator-error`.
 */
export function safeParseAnswer<TDefinition extends AnyOutputDefinition>(
  raw: string,
  definition: TDefinition,
  origin: AnswerOrigin,
): Promise<SafeExtractResult<InferOutput<TDefinition>>> {
  return judgeFor(judgeText(raw, rulesOf(definition, origin)), definition, origin);
}

/**
 * Validates a value that a route delivered. `raw` is its JSON text.
 *
 * Never rejects. A key that could reach a prototype is rejected here too.
 */
export function safeValidateAnswer<TDefinition extends AnyOutputDefinition>(
  value: unknown,
  definition: TDefinition,
  { raw, ...origin }: AnswerOrigin & { readonly raw: string },
): Promise<SafeExtractResult<InferOutput<TDefinition>>> {
  return judgeFor(judgeValue(value, raw, definition, origin), definition, origin);
}

function* judgeValue(
  value: unknown,
  raw: string,
  definition: AnyOutputDefinition,
  origin: AnswerOrigin,
): Judging {
  const screened = refuseDangerousKeys(value, raw);
  if (!screened.success) return refuse('invalid-json', raw, screened);
  const { repairs = [], isParsedElsewhere = false } = origin;
  const answer = { value, text: raw, repairs, isParsedElsewhere };
  return yield* judgeWritten(answer, raw, rulesOf(definition, origin));
}

function rulesOf(
  definition: AnyOutputDefinition,
  { route, inverse, repairs = [] }: AnswerOrigin,
): JudgeRules {
  return {
    ...rulesFor(definition),
    repairs,
    isTagged: route === 'tag',
    ...(inverse !== undefined && { inverse }),
  };
}
