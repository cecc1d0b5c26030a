/**
 * Forms of each dialect for the schemas of `lowered-forms.json`: the whole lowered schema, its losses and changes,
 * and an answer with its value.
 *
 * A new schema is written there without forms: `npx vitest run lowered-forms --update=all`, then read them.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { SchemaError } from '../../errors/schema-error.ts';
import { compileJsonSchema } from '../engine/compile-json-schema.ts';
import type { JsonSchema } from '../engine/read-schema.ts';
import { sampleValue } from '../sample/sample-value.ts';
import { showPlace } from './analysis/schema-place.ts';
import { lowerJsonSchema } from './lower-json-schema.ts';
import { DIALECTS, type SchemaDialect } from './profiles/dialect-profile.ts';

const FILE = fileURLToPath(new URL('lowered-forms.json', import.meta.url));

interface Form {
  readonly schema?: unknown;
  readonly losses?: readonly string[];
  readonly changes?: readonly string[];
  /** An answer in the lowered form, and its value. */
  readonly answer?: unknown;
  readonly value?: unknown;
  readonly error?: string;
}

interface FormCase {
  readonly schema: JsonSchema;
  /** By the names of the dialects that have the same form. */
  readonly forms?: Readonly<Record<string, Form>>;
}

const CASES = JSON.parse(readFileSync(FILE, 'utf8')) as Readonly<Record<string, FormCase>>;

/** `known` is the committed form: its answer is kept, so that only the lowering decides on the value. */
function formOf(schema: JsonSchema, dialect: SchemaDialect, known: Form | undefined): Form {
  try {
    const lowered = lowerJsonSchema(schema, dialect);
    const answer = known?.answer ?? sampleValue(lowered.schema, { isWhole: true });
    return {
      schema: lowered.schema,
      losses: lowered.losses.map(({ path, keyword, reason }) => `${keyword} ${showPlace(path)}: ${reason}`),
      changes: lowered.changes.map(({ path, keyword, form }) => `${keyword} ${showPlace(path)}: ${form}`),
      answer,
      value: lowered.inverse(answer),
    };
  } catch (error) {
    if (!SchemaError.isInstance(error)) throw error;
    return { error: `${error.code}: ${error.message}` };
  }
}

const fits = (schema: unknown, value: unknown): boolean =>
  compileJsonSchema(schema as JsonSchema).validate(value).valid;

function knownForm({ forms = {} }: FormCase, dialect: SchemaDialect): Form | undefined {
  return Object.entries(forms).find(([names]) => names.split(' ').includes(dialect))?.[1];
}

it.each(Object.entries(CASES))('requests %s in the committed forms', (_name, known) => {
  for (const dialect of DIALECTS) {
    const expected = knownForm(known, dialect);
    const { answer, value, ...form } = formOf(known.schema, dialect, expected);
    expect({ dialect, ...form, answer, value }).toEqual({ dialect, ...expected });
    // A sample of contradicting keywords is a guess. An answer that the form accepts, and nothing is lost: no guess.
    const isHeld = form.losses?.length === 0 && fits(form.schema, answer);
    if (isHeld) expect([dialect, value, fits(known.schema, value)]).toEqual([dialect, value, true]);
  }
});

it('the file has the present forms', async () => {
  const cases = Object.entries(CASES).map(([name, known]): string => {
    const byText = new Map<string, SchemaDialect[]>();
    for (const dialect of DIALECTS) {
      const text = JSON.stringify(formOf(known.schema, dialect, knownForm(known, dialect)));
      byText.set(text, [...(byText.get(text) ?? []), dialect]);
    }
    const forms = [...byText].map(([text, dialects]) => `${JSON.stringify(dialects.join(' '))}:\n${text}`);
    return `${JSON.stringify(name)}: {\n"schema": ${JSON.stringify(known.schema)},\n"forms": {\n${forms.join(',\n')}}}`;
  });
  await expect(`{\n${cases.join(',\n')}\n}\n`).toMatchFileSnapshot(FILE);
});
