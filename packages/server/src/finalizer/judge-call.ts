/** Evaluates a submission from its raw text: screening, envelopes, validation. Pure. */
import { SchemaError } from '@truecast/core/internal/errors/schema-error';
import { exactJson } from '@truecast/core/internal/output/finalizer/exact-json';
import { FINALIZER_KEY } from '@truecast/core/internal/output/finalizer/finalizer-tool';
import {
  DEFAULT_FINALIZER_LIMITS,
  screenAnswer,
  screenArguments,
  type ArgumentsProblem,
  type FinalizerLimits,
  type ScreenedArguments,
} from '@truecast/core/internal/output/finalizer/screen-arguments';
import { parseJson } from '@truecast/core/internal/output/json/parse-json';
import {
  undoEnvelopes,
  type EnvelopeRepair,
  type WrittenAnswer,
  type UnwrappedAnswer,
} from '@truecast/core/internal/output/judge/undo-envelopes';
import type { JsonSchemaValidator } from '@truecast/core/internal/schema/engine/compile-json-schema';
import type { JsonValue } from '@truecast/core/internal/schema/json-value';
import type { AttemptIssue } from '../contract/receipt.ts';
import { describeIssues } from './describe-issues.ts';

/** The submitted value, or its rejection. Rejections contain no value of the model. */
export type JudgedCall =
  | {
      readonly type: 'accepted';
      readonly value: JsonValue;
      /** Canonical JSON with exact numbers. */
      readonly valueText: string;
      readonly repairs: readonly EnvelopeRepair[];
    }
  | {
      readonly type: 'rejected';
      readonly code: 'invalid' | 'malformed' | 'too_large';
      readonly issues: readonly AttemptIssue[];
      /**
       * True if the arguments are well-formed JSON within the limits, so that the model can see
       * them again.
       */
      readonly isReadable: boolean;
    };

/** Evaluates the raw arguments of a call, `{ "output": … }`. */
export function judgeCall(
  args: string,
  validator: JsonSchemaValidator,
  limits: FinalizerLimits = DEFAULT_FINALIZER_LIMITS,
): JudgedCall {
  const direct = screenArguments(args, limits);
  if (direct.type !== 'not-enveloped') return judgeScreened(direct, [], validator, limits);
  const inner = stringIn(args);
  const screened = inner === undefined ? direct : screenArguments(inner, limits);
  const judged = judgeScreened(screened, ['parsed-string'], validator, limits);
  return judged.type === 'accepted' ? judged : judgeScreened(direct, [], validator, limits);
}

/** Evaluates a text that is the answer itself, as constrained decoding returns it. */
export function judgeAnswerText(
  text: string,
  validator: JsonSchemaValidator,
  limits: FinalizerLimits = DEFAULT_FINALIZER_LIMITS,
): JudgedCall {
  return judgeScreened(screenAnswer(text, limits), [], validator, limits);
}

function judgeScreened(
  screened: ScreenedArguments,
  repairs: readonly EnvelopeRepair[],
  validator: JsonSchemaValidator,
  limits: FinalizerLimits,
): JudgedCall {
  switch (screened.type) {
    case 'too-large':
      return reject('too_large', `Expected at most ${limits.maxBytes} bytes`, false);
    case 'malformed':
      return reject('malformed', MALFORMED[screened.code], false);
    case 'not-enveloped':
      return reject(
        'invalid',
        `Expected an object with the one key "${FINALIZER_KEY}", which holds the whole answer`,
        true,
      );
    case 'screened':
      return judgeCandidates({ value: screened.value, text: screened.raw, repairs }, validator, limits);
    default:
      return screened satisfies never;
  }
}

/** Takes the value unchanged if valid, else the first valid one inside known envelopes. */
function judgeCandidates(
  first: UnwrappedAnswer,
  validator: JsonSchemaValidator,
  limits: FinalizerLimits,
): JudgedCall {
  const issues = validate(first.value, validator);
  if (issues === undefined) return accept(first);
  for (const inner of undoEnvelopes(first, (text) => readInside(text, limits)))
    if (validate(inner.value, validator) === undefined) return accept(inner);
  return { type: 'rejected', code: 'invalid', issues, isReadable: true };
}

function accept({ value, text, repairs }: UnwrappedAnswer): JudgedCall {
  // The text was screened: it contains JSON only.
  return { type: 'accepted', value: value as JsonValue, valueText: exactJson(text), repairs };
}

/** Screens the text inside an envelope like the arguments themselves. */
function readInside(text: string, limits: FinalizerLimits): WrittenAnswer | undefined {
  const screened = screenAnswer(text, limits);
  return screened.type === 'screened' ? { value: screened.value, text: screened.raw } : undefined;
}

/** Returns undefined for a valid value. */
function validate(value: unknown, validator: JsonSchemaValidator): readonly AttemptIssue[] | undefined {
  try {
    const result = validator.validate(value);
    return result.valid ? undefined : describeIssues(result.issues);
  } catch (error) {
    if (!SchemaError.isInstance(error)) throw error;
    return [{ path: '', rule: 'Expected an answer that costs less to validate: a smaller or flatter one' }];
  }
}

function stringIn(args: string): string | undefined {
  const parsed = parseJson(args);
  return parsed.success && typeof parsed.value === 'string' ? parsed.value.trim() : undefined;
}

/** The rule that was broken. The screening's own reason is not used, because it contains the model's keys. */
const MALFORMED: Readonly<Record<ArgumentsProblem, string>> = {
  syntax: 'Expected one whole JSON value',
  'repeated-key': 'Expected each key once in an object',
  'nul-character': 'Expected text without the NUL character',
  'half-surrogate': 'Expected whole characters, not half of a surrogate pair',
  'number-range': 'Expected numbers that a double can hold',
  'too-many-values': 'Expected fewer values',
  'too-deep': 'Expected less nesting',
  'prototype-key': 'Expected no key that could reach a prototype',
};

function reject(code: 'invalid' | 'malformed' | 'too_large', rule: string, isReadable: boolean): JudgedCall {
  return { type: 'rejected', code, issues: [{ path: '', rule }], isReadable };
}
