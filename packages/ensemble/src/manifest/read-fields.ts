/** Reader of a manifest: problems state the expectation and the place. Pure. */
import { z } from 'zod';
import { describeValue } from '@truecast/core/internal/kit/describe-value';
import type { ManifestProblem } from '@truecast/core/internal/errors/manifest-error';
import { KEY_SEPARATOR } from '@truecast/model/internal/models-file/field-schemas';
import { ALL_INTACT, salvageFields, type Fillers } from './salvage-fields.ts';
import { suggest } from '@truecast/core/internal/options/suggest';
import { readYaml, type ManifestPath, type Sourced, type YamlSource } from './yaml-source.ts';

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

export const POSITIVE: z.ZodNumber = z.number('a number above 0').positive('a number above 0');

/** The intact parts of a file, and all problems. With problems, parts can be missing. */
export interface ManifestRead<T> extends Partial<Sourced<T>> {
  readonly problems: readonly ManifestProblem[];
}

/** A file and its text. */
export interface ManifestText {
  /** Its name in problems. */
  readonly file: string;
  readonly text: string;
}

/** A kind of manifest. */
export interface ManifestForm<T> {
  readonly noun: string;
  /** Its messages complete the sentence `Expected … to be`. */
  readonly schema: z.ZodType<T>;
  /** Values in place of missing or invalid keys, so that the other keys can be checked. */
  readonly fillers?: Fillers;
  /** Checks the intact parts. */
  readonly judge: (sourced: Sourced<T>) => readonly ManifestProblem[];
}

/** Reads a file as one kind of manifest. */
export function readManifest<T>({ text, file }: ManifestText, form: ManifestForm<T>): ManifestRead<T> {
  const { source, problems: found } = readYaml(text, file);
  if (source === undefined) return { problems: found };
  const { noun, schema, fillers = {}, judge } = form;
  const { value } = source;
  if (value === null || value === undefined) {
    const problem = source.problem([], `The file is empty; expected ${noun}.`);
    return { source, problems: [...found, problem] };
  }
  const parsed = schema.safeParse(value, { reportInput: true });
  const issues = parsed.error?.issues ?? [];
  const structural = [...found, ...issues.flatMap((issue) => toProblems(issue, source, noun))];
  const read = parsed.success
    ? { manifest: parsed.data, isIntact: ALL_INTACT }
    : salvageFields(value, issues, schema, fillers);
  if (read === undefined) return { source, problems: structural };
  const sourced = { ...read, source };
  return { ...sourced, problems: [...structural, ...judge(sourced)] };
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
