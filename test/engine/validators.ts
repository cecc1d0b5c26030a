/** Validators of the engine proof that are not ours: Ajv and Hyperjump. */
import {
  registerSchema,
  setShouldValidateFormat,
  unregisterSchema,
  validate,
} from '@hyperjump/json-schema/draft-2020-12';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { z } from 'zod';
import type { FormCase } from './form-cases.ts';

/** It has no types. */
const FORMATS = '@hyperjump/json-schema/formats';
await import(FORMATS);
setShouldValidateFormat(true);

/** Formats of the cases. Zod writes a pattern beside all of them except `uri`. */
const ajv = new Ajv2020({
  strict: false,
  logger: false,
  formats: {
    uri: { validate: (text: string) => URL.canParse(text) },
    date: true,
    time: true,
    'date-time': true,
    email: true,
    ipv4: true,
  },
});

/** JSON Schema of a case, as its validators and clients without Zod get it. */
export function jsonSchemaOf({ schema }: FormCase): Readonly<Record<string, unknown>> {
  return { ...z.toJSONSchema(schema, { io: 'input' }) };
}

/** Returns true if each of the two validators accepts a value. */
export type Judge = (value: unknown) => Promise<boolean>;

const judges = new Map<FormCase, Judge>();

/** Compiles a case's schema with both, once for all legs. */
export function judgeOf(form: FormCase): Judge {
  const judge = judges.get(form) ?? newJudge(form);
  judges.set(form, judge);
  return judge;
}

function newJudge(form: FormCase): Judge {
  const schema = jsonSchemaOf(form);
  const isAjvValid = ajv.compile({ ...schema });
  const uri = `https://engine.test/${form.name}`;
  // A case of the same name can be known.
  unregisterSchema(uri);
  // Its type supports the keywords of one draft only.
  registerSchema(schema as never, uri, 'https://json-schema.org/draft/2020-12/schema');
  const compiled = validate(uri);
  return async (value) => {
    const isValid = await compiled;
    return isAjvValid(value) && isValid(value as never).valid;
  };
}
