/** Evaluates a submission from its raw text: screening, envelopes, validation. Pure. */
import { SchemaError } from '@truecast/core/internal/errors/schema-error';
import { exactJson } from '@truecast/core/internal/output/finalizer/exact-json';
import { FINALIZER_KEY } from '@truecast/core/internal/output/finalizer/finalizer-tool';
import { memberText } from '@truecast/core/internal/output/finalizer/member-text';
import {
  DEFAULT_FINALIZER_LIMITS,
  screenArguments,
  type ArgumentsProblem,
  type FinalizerLimits,
  type ScreenedArguments,
} from '@truecast/core/internal/output/finalizer/screen-arguments';
import { parseJson } from '@truecast/core/internal/output/json/parse-json';
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

/** An envelope that was removed: a string with the JSON, or a second `output`. */
export type EnvelopeRepair = 'parsed-string' | 'unwrapped-output';

interface Candidate {
  readonly value: unknown;
  readonly text: string;
  readonly repairs: readonly EnvelopeRepair[];
}

/**
 * A wrapper can contain a string, and a string a wrapper. Deeper nesting is not a model's habit,
 * but another value.
 */
const MAX_REPAIRS = 2;

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
  // Invalid JSON could become valid inside the envelope, such as `1},"x":{`.
  if (!parseJson(text).success) return judgeScreened(screenArguments(text, limits), [], validator, limits);
  return judgeScreened(screenArguments(envelope(text), limits), [], validator, limits);
}

/** Arguments of a server-created call for an answer. */
export function envelope(answerText: string): string {
  return `{"${FINALIZER_KEY}":${answerText}}`;
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
  first: Candidate,
  validator: JsonSchemaValidator,
  limits: FinalizerLimits,
): JudgedCall {
  const issues = validate(first.value, validator);
  let candidate: Candidate | undefined = issues === undefined ? first : undefined;
  let next = candidate === undefined ? undo(first, limits) : undefined;
  while (next !== undefined && candidate === undefined) {
    if (validate(next.value, validator) === undefined) candidate = next;
    else next = next.repairs.length < MAX_REPAIRS ? undo(next, limits) : undefined;
  }
  if (candidate === undefined)
    return { type: 'rejected', code: 'invalid', issues: issues ?? [], isReadable: true };
  // The text was screened: it contains JSON only.
  const value = candidate.value as JsonValue;
  return { type: 'accepted', value, valueText: exactJson(candidate.text), repairs: candidate.repairs };
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

/** Removes one envelope on the text level: parsing and serializing would round numbers. */
function undo({ value, text, repairs }: Candidate, limits: FinalizerLimits): Candidate | undefined {
  const isString = typeof value === 'string';
  const isDoubled = isRecord(value) && Object.keys(value).length === 1 && Object.hasOwn(value, FINALIZER_KEY);
  const inner = isString ? value.trim() : isDoubled ? memberText(text, [FINALIZER_KEY]) : undefined;
  if (inner === undefined || !parseJson(inner).success) return undefined;
  const screened = screenArguments(envelope(inner), limits);
  if (screened.type !== 'screened') return undefined;
  return {
    value: screened.value,
    text: screened.raw,
    repairs: [...repairs, isString ? 'parsed-string' : 'unwrapped-output'],
  };
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

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
