/**
 * Reader of a manifest's fields: problems state the expectation and the place. Pure.
 */
import { z } from 'zod';
import { describeValue } from '@truecast/core/internal/kit/describe-value';
import type { ManifestProblem } from '@truecast/core/internal/errors/manifest-error';
import { KEY_SEPARATOR } from '@truecast/model/internal/models-file/field-schemas';
import { ALL_INTACT, NONE_INTACT, salvageFields, type Fillers } from './salvage-fields.ts';
import { suggest } from '@truecast/core/internal/options/suggest';
import type { Intact, ManifestPath, YamlSource } from './yaml-source.ts';

/** Syntax of actor, team and scenario names: safe in a file name and in a prompt's list. */
const NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/u;
/** Message for an invalid name. */
export const NAME_FORM = 'a name: a letter, then letters, digits, `-` and `_`, at most 64';

/** Returns true if a string is a valid name. */
export function isName(text: string): boolean {
  return NAME.test(text);
}

/** A name, such as an agent's. */
export const NAME_FIELD: z.ZodString = z.string(NAME_FORM).regex(NAME, NAME_FORM);

/** An integer of at least 0. */
export const COUNT_OR_ZERO: z.ZodInt = z
  .int('a whole number of 0 or more')
  .min(0, 'a whole number of 0 or more');

/** A number above 0. */
export const POSITIVE: z.ZodNumber = z.number('a number above 0').positive('a number above 0');

/** The intact parts of a manifest, and all problems of the keys and values. */
export interface FieldsRead<T> {
  /** Absent if no part is usable. */
  readonly value?: T;
  readonly isIntact: Intact;
  readonly problems: readonly ManifestProblem[];
}

/**
 * Validates a file's value. Messages of `schema` complete the sentence `Expected … to be`.
 * `fillers` replace required keys, so that the others can be checked further.
 */
export function readFields<T>(
  source: YamlSource,
  schema: z.ZodType<T>,
  noun: string,
  fillers: Fillers = {},
): FieldsRead<T> {
  if (source.value === null || source.value === undefined) {
    const problem = source.problem([], `The file is empty; expected ${noun}.`);
    return { isIntact: NONE_INTACT, problems: [problem] };
  }
  const parsed = schema.safeParse(source.value, { reportInput: true });
  if (parsed.success) return { value: parsed.data, isIntact: ALL_INTACT, problems: [] };
  const { issues } = parsed.error;
  const problems = issues.flatMap((issue) => toProblems(issue, source, noun));
  return { isIntact: NONE_INTACT, ...salvageFields(source.value, issues, schema, fillers), problems };
}

function toProblems(issue: z.core.$ZodIssue, source: YamlSource, noun: string): ManifestProblem[] {
  const path = issue.path.filter((key) => typeof key !== 'symbol');
  if (issue.code === 'unrecognized_keys') {
    const known = issue.message.split(KEY_SEPARATOR);
    const owner = path.length === 0 ? noun : `\`${showPath(path)}\``;
    return issue.keys.map((key) =>
      source.problem([...path, key], `\`${key}\` is not a key of ${owner}.`, {
        at: 'key',
        hint: suggest(key, known) ?? `Known: ${known.join(', ')}.`,
      }),
    );
  }
  const name = path.length === 0 ? 'the file' : `\`${showPath(path)}\``;
  if (issue.input === undefined) {
    return [source.problem(path, `${name} is missing: expected ${issue.message}.`)];
  }
  const hint =
    issue.code === 'invalid_value' && typeof issue.input === 'string'
      ? suggest(issue.input, issue.values.map(String))
      : undefined;
  return [
    source.problem(path, `Expected ${name} to be ${issue.message}, got ${describeValue(issue.input)}.`, {
      hint,
    }),
  ];
}

/** `schedule.tick_every`, `cast[2]`. */
function showPath(path: ManifestPath): string {
  return path
    .map((key, index) => (typeof key === 'number' ? `[${key}]` : index === 0 ? key : `.${key}`))
    .join('');
}
