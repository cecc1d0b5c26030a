/** Sentence about a refused attempt, for people. A model gets `describeFailure()` instead. Pure. */
import { partAt, shownJson } from '../../json/exact-value.ts';

/** A broken rule of a refused value. */
interface RefusedRule {
  /** JSON Pointer into the value. */
  readonly path: string;
  readonly rule: string;
  /** JSON of the value there, at most 80 characters. Absent without a value. */
  readonly got?: string | undefined;
}

/** An attempt that was refused. */
interface RefusedAnswer {
  /** Kind of the refusal, such as `invalid`. */
  readonly code: string;
  readonly issues?: readonly RefusedRule[] | undefined;
}

/** A later version can have other codes. They are shown unchanged. */
const REASONS: Readonly<Record<string, string>> = {
  ok: 'valid',
  text_only: 'text instead of an answer',
  invalid: 'does not match the schema',
  not_alone: 'submitted together with other calls',
  malformed: 'not valid JSON',
  too_large: 'too large',
  truncated: 'cut off at the output limit',
  runaway: 'ended because it repeated itself',
  refused: 'refused by the model',
  empty: 'empty reply',
};

/** Describes it on one line, such as `/line expected integer, got "seven", and 2 more`. */
export function describeRefusal({ code, issues: [first, ...more] = [] }: RefusedAnswer): string {
  if (first === undefined) return REASONS[code] ?? code;
  const { path, rule, got } = placedIssue(first);
  const where = path === '' ? '' : `${path} `;
  const came = got === undefined ? '' : `, got ${got}`;
  return where + lowerFirst(rule) + came + (more.length > 0 ? `, and ${more.length} more` : '');
}

/** Adds the JSON of a refused value at the issue's place. */
export function withGot<T extends RefusedRule>(issue: T, value: unknown): T & { readonly got?: string } {
  const got = shownJson(partAt(value, issue.path));
  return { ...issue, ...(got !== undefined && { got }) };
}

/** Returns the rule without the value that some engines end it with. */
export function withoutGot(rule: string, got: string | undefined): string {
  const said = `, got ${got}`;
  return rule.endsWith(said) ? rule.slice(0, -said.length) : rule;
}

const MISSING = /^Missing required property `([^`]*)`(.*)$/su;

/**
 * Moves a missing property from the object that lacks it to its own path:
 * `` Missing required property `why` `` is at `/why`, where no value came.
 */
export function placedIssue({ path, rule, got }: RefusedRule): RefusedRule {
  const [, name, rest = ''] = MISSING.exec(rule) ?? [];
  if (name === undefined) return { path, rule, got };
  const key = name.replaceAll('~', '~0').replaceAll('/', '~1');
  return { path: `${path}/${key}`, rule: `Is missing${rest}` };
}

/** `Expected integer` reads as `expected integer`. */
export function lowerFirst(text: string): string {
  return text.slice(0, 1).toLowerCase() + text.slice(1);
}
