/** Outcomes: how the work of an agent can end where it can ask or decline instead of answering. Pure. */
import type { StandardSchemaV1 } from '@standard-schema/spec';
import { isRecord } from '../../kit/is-record.ts';
import type { AnyOutputDefinition, SchemaAnswer } from './definition.ts';

/** A question for a person. */
export interface OutcomeQuestion {
  readonly text: string;
  /** Answers to choose from. Absent if any text can be the answer. */
  readonly options?: readonly string[];
}

/** How the work ended: with an answer, with a question, or with a reason why there is no answer. */
export type Outcome<TAnswer, TQuestion = OutcomeQuestion> =
  | { readonly outcome: 'answered'; readonly answer: TAnswer }
  | { readonly outcome: 'question'; readonly question: TQuestion }
  | { readonly outcome: 'declined'; readonly reason: string };

/** Options of a definition that can allow other outcomes than an answer. */
export interface OutcomeChoice {
  /**
   * Allows the agent to ask a person. `true` asks for `{ text, options? }`, a schema for its own
   * form. @default questions are not allowed
   */
  readonly question?: true | StandardSchemaV1 | undefined;
  /** Allows the agent to decline, with a reason. @default declining is not allowed */
  readonly decline?: true | undefined;
}

/** Options of a definition that allows at least one other outcome. */
export type OutcomeOptions<
  TQuestion extends true | StandardSchemaV1 | undefined,
  TDecline extends true | undefined,
> =
  | { readonly question: TQuestion; readonly decline?: TDecline }
  | { readonly question?: undefined; readonly decline: TDecline };

/** The outcomes of a definition: those that its options allow. */
export type AllowedOutcome<TAnswer, TQuestion, TDecline> =
  | Extract<Outcome<TAnswer>, { readonly outcome: 'answered' }>
  | ([TQuestion] extends [undefined]
      ? never
      : {
          readonly outcome: 'question';
          readonly question: TQuestion extends true ? OutcomeQuestion : SchemaAnswer<TQuestion>;
        })
  | (TDecline extends true ? Extract<Outcome<TAnswer>, { readonly outcome: 'declined' }> : never);

/** Options of a definition without other outcomes than an answer. */
export interface AnswerOnly {
  readonly question?: undefined;
  readonly decline?: undefined;
}

/** Facts about a composed schema. They are kept by it, so that a definition made from another has them too. */
export interface OutcomeFacts {
  readonly asks: boolean;
  readonly declines: boolean;
  /** The definitions of the answer and of a question with its own form. */
  readonly parts: readonly AnyOutputDefinition[];
}

/** A Standard Schema of outcomes. */
export interface OutcomeSchema<TOutcome> extends StandardSchemaV1<unknown, TOutcome> {
  readonly '~outcome': OutcomeFacts;
}

/** Returns the outcomes that a definition allows. Undefined if every output is an answer. */
export function outcomesOf(definition: AnyOutputDefinition | undefined): OutcomeFacts | undefined {
  if (definition?._tag !== 'object') return undefined;
  const facts: unknown = Reflect.get(definition.schema, '~outcome');
  // Only a composed schema has this key. It can be from another copy of the package.
  return isRecord(facts) ? (facts as unknown as OutcomeFacts) : undefined;
}

/** Returns true unless an output is a question or a refusal. */
export function isAnswer(output: unknown, definition: AnyOutputDefinition | undefined): boolean {
  return (outcomeIn(output, definition)?.outcome ?? 'answered') === 'answered';
}

/**
 * Returns the outcome that an output is. Undefined if the definition allows only answers: the output
 * is the answer itself then.
 */
export function outcomeIn(
  output: unknown,
  definition: AnyOutputDefinition | undefined,
): Outcome<unknown, unknown> | undefined {
  return outcomesOf(definition) === undefined ? undefined : (output as Outcome<unknown, unknown> | undefined);
}
