/** The judge's verdict on a submission or text, by the request's compiled schema. Pure. */
import { SchemaError } from '@truecast/core/internal/errors/schema-error';
import { copiesDemonstration } from '@truecast/core/internal/output/definition/demonstration';
import type { Refusal } from '@truecast/core/internal/output/definition/answer-errors';
import { judgeBy } from '@truecast/core/internal/output/judge/drive';
import { judge } from '@truecast/core/internal/output/judge/judge-reply';
import type { JudgeRules, Reply } from '@truecast/core/internal/output/judge/judged';
import type { Verdict } from '@truecast/core/internal/output/judge/validate-value';
import { exactJson } from '@truecast/core/internal/output/finalizer/exact-json';
import {
  DEFAULT_FINALIZER_LIMITS,
  screenArguments,
} from '@truecast/core/internal/output/finalizer/screen-arguments';
import { shownTest } from '@truecast/core/internal/output/judge/shown-test';
import type { JsonSchemaValidator } from '@truecast/core/internal/schema/engine/compile-json-schema';
import type { JsonSchema } from '@truecast/core/internal/schema/engine/read-schema';
import type { JsonValue } from '@truecast/core/internal/kit/json-value';
import type { AttemptIssue } from '@truecast/client/internal/wire/receipt';
import { toPointer } from '../format/format-problem.ts';
import { clip } from '@truecast/core/internal/kit/describe-value';
import type { Issue } from '@truecast/core/internal/kit/issue';

/** The submitted value, or its rejection. Rejections contain no value of the model. */
export type JudgedCall =
  | {
      readonly type: 'accepted';
      readonly value: JsonValue;
      /** Canonical JSON with exact numbers. */
      readonly valueText: string;
      readonly repairs: readonly string[];
    }
  | {
      readonly type: 'rejected';
      readonly code: 'invalid' | 'malformed' | 'too_large' | 'truncated';
      readonly issues: readonly AttemptIssue[];
    }
  /** The reply contains nothing that could be an answer. */
  | { readonly type: 'none' };

export interface AskedAnswer {
  readonly validator: JsonSchemaValidator;
  /** The schema that the model was shown. */
  readonly schema?: JsonSchema;
}

/**
 * Evaluates a reply to a request for a call of the finalizer, or for text that is the answer.
 *
 * @param isDemonstrated - true if a demonstration can stand before the question, whose values are no answer
 */
export function judgeStep(
  reply: Partial<Reply>,
  { validator, schema }: AskedAnswer,
  asked: 'call' | 'text' = 'call',
  isDemonstrated = false,
): JudgedCall {
  const isOurs = (value: unknown): boolean => schema !== undefined && shownTest(schema)(value);
  const rules = { ...RULES, isOurs, ...(isDemonstrated && { isCopied: copiesDemonstration }) };
  const judging = judge({ text: '', ...reply }, rules, asked);
  const judged = judgeBy(judging, (value) => validate(value, validator));
  if (judged.type === 'no-answer') return judged.reason === 'repeated' ? REPEATED : { type: 'none' };
  if (judged.type === 'refused') return rejectionOf(judged);
  const { value, text, repairs } = judged;
  // The text was screened: it contains JSON only.
  return {
    type: 'accepted',
    value: value as JsonValue,
    valueText: exactJson(text),
    repairs: repairs.map(({ kind }) => kind),
  };
}

/** The client receives the text of the value, so its numbers keep all their digits. */
const RULES: JudgeRules = {
  keepsDigits: true,
  maxBytes: DEFAULT_FINALIZER_LIMITS.maxBytes,
  screen: (args) => screenArguments(args, DEFAULT_FINALIZER_LIMITS),
};

function rejectionOf({ code, issues, problem = 'syntax', path = [], raw }: Refusal): JudgedCall {
  if (code === 'too-large') return reject('too_large', `Expected at most ${RULES.maxBytes} bytes`);
  if (code === 'truncated') return { type: 'rejected', code: 'truncated', issues: [] };
  if (code !== 'schema-mismatch') {
    // Arguments that are too deep to be stored are cut, and are no JSON then. The rest is deep enough to see why.
    const found = problem === 'syntax' ? screenArguments(raw, DEFAULT_FINALIZER_LIMITS) : undefined;
    if (found?.code === 'too-deep') return reject('malformed', DEEP, toPointer(found.path));
    return reject('malformed', MALFORMED[problem] ?? SYNTAX, toPointer(path));
  }
  return { type: 'rejected', code: 'invalid', issues: describeIssues(issues) };
}

const REPEATED: JudgedCall = reject(
  'invalid',
  'Expected an answer, not the sample or the schema of the answer',
);

function validate(value: unknown, validator: JsonSchemaValidator): Verdict {
  try {
    const result = validator.validate(value);
    if (result.valid) return { type: 'accepted', value };
    return { type: 'rejected', issues: result.issues, cause: undefined };
  } catch (cause) {
    if (!SchemaError.isInstance(cause)) throw cause;
    const message = 'Expected an answer that costs less to validate: a smaller or flatter one';
    return { type: 'rejected', issues: [{ path: [], message }], cause };
  }
}

const SYNTAX = 'Expected one whole JSON value';
const DEEP = 'Expected less nesting';

/** The rule that was broken. The screening's own reason is not used, because it contains the model's keys. */
const MALFORMED: Readonly<Record<string, string>> = {
  'doubled-key': 'Expected each key once in an object',
  'half-surrogate': 'Expected whole characters, not half of a surrogate pair',
  'out-of-range': 'Expected numbers that a double can hold',
  'too-many-values': 'Expected fewer values',
  'too-deep': DEEP,
  'prototype-key': 'Expected no key that could reach a prototype',
};

function reject(code: 'invalid' | 'malformed' | 'too_large', rule: string, path = ''): JudgedCall {
  return { type: 'rejected', code, issues: [{ path, rule }] };
}

/** Maximum issues per message: fixing these often fixes the rest. */
const MAX_ISSUES = 4;
const MAX_RULE_CHARS = 120;

/** Returns the first four distinct issues, ordered by place. */
function describeIssues(issues: readonly Issue[]): readonly AttemptIssue[] {
  const told = new Map<string, AttemptIssue>();
  for (const { path, message } of issues) {
    const issue = { path: toPointer([...path, ...unexpectedKey(message)]), rule: ruleOf(message) };
    told.set(`${issue.path}\n${issue.rule}`, issue);
  }
  const order = [...told.entries()].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return order.slice(0, MAX_ISSUES).map(([, issue]) => issue);
}

/**
 * A message is `Expected …, got …`: the expectation comes from the schema, the rest from the model.
 * Of any other message only the kind is shown.
 */
function ruleOf(message: string): string {
  const [expected = ''] = message.split(', got ');
  if (/^(?:Expected|Missing required property) /u.test(expected)) return clip(expected, MAX_RULE_CHARS);
  return message.startsWith('Unexpected property') ? 'Unexpected property' : 'Does not fit the schema';
}

/** A forbidden property is named by its place, so that the model finds it. */
function unexpectedKey(message: string): string[] {
  const key = /^Unexpected property `(.*)`$/su.exec(message)?.[1];
  return key === undefined ? [] : [key];
}
