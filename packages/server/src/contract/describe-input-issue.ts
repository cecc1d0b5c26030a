/** Messages for invalid input: the expected and the received value. Pure. */
import type { z } from 'zod';

/** Prefix of messages from this project's schemas, which are more precise. */
const OWN_WORDS = /^(?:Must|Expected|Is) /u;

/** Describes expectation and input. The input is described by its type, never by its value. */
export function describeInputIssue(issue: z.core.$ZodIssue): string {
  const came = describeKind(issue);
  return came === undefined ? describeExpected(issue) : `Is ${came}. ${describeExpected(issue)}`;
}

export function describeExpected(issue: z.core.$ZodIssue): string {
  if (OWN_WORDS.test(issue.message)) return `${issue.message}.`;
  switch (issue.code) {
    case 'invalid_type':
      return `Must be ${EXPECTED[issue.expected] ?? issue.expected}.`;
    case 'invalid_value':
      return `Must be one of ${issue.values.map((value) => `\`${String(value)}\``).join(', ')}.`;
    case 'too_small':
      return Number(issue.minimum) === 1 && issue.origin in UNITS
        ? 'Must not be empty.'
        : `Must ${bound(issue.origin, `at least ${issue.minimum}`)}.`;
    case 'too_big':
      return `Must ${bound(issue.origin, `at most ${issue.maximum}`)}.`;
    case 'invalid_union':
      return describeForms(issue.errors);
    default:
      return `${issue.message}.`;
  }
}

/** Describes what each form of a union expects, by its first problem. */
function describeForms(forms: readonly (readonly z.core.$ZodIssue[])[]): string {
  const told = forms.flatMap((issues) => {
    const issue = issues.find(({ code }) => code !== 'unrecognized_keys') ?? issues[0];
    return issue === undefined ? [] : [describeForm(issue)];
  });
  if (told.length === 0) return 'Is not a known value.';
  return `Fits no form: ${[...new Set(told)].join('; or ')}.`;
}

function describeForm(issue: z.core.$ZodIssue): string {
  const expected = describeExpected(issue).replace(/\.$/u, '');
  if (issue.path.length === 0) return `it ${expected.charAt(0).toLowerCase()}${expected.slice(1)}`;
  const name = `\`${issue.path.map(String).join('.')}\``;
  return issue.input === undefined
    ? `${name} is missing`
    : `${name} ${expected.charAt(0).toLowerCase()}${expected.slice(1)}`;
}

/** Returns the received type, only if the type is the problem. */
function describeKind(issue: z.core.$ZodIssue): string | undefined {
  const isOfNoOption = issue.code === 'invalid_union' && issue.errors.length > 0;
  const isOwn = OWN_WORDS.test(issue.message);
  if (isOfNoOption && !isOwn && typeof issue.input === 'object' && issue.input !== null) return undefined;
  if (issue.code !== 'invalid_type' && !isOfNoOption) return undefined;
  const { input } = issue;
  if (input === undefined) return 'missing';
  if (input === null) return '`null`';
  if (Array.isArray(input)) return 'an array';
  return typeof input === 'object' ? 'an object' : `a ${typeof input}`;
}

const EXPECTED: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: '`true` or `false`',
  array: 'a JSON array',
  object: 'a JSON object',
  record: 'a JSON object',
  nonoptional: 'any JSON value',
};
const UNITS: Readonly<Record<string, string>> = { string: ' characters', array: ' items' };

function bound(origin: string, amount: string): string {
  return origin in UNITS ? `have ${amount}${UNITS[origin]}` : `be ${amount}`;
}
