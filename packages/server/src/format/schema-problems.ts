/**
 * Schema validation of a request's format: size, root and compilation, with every problem. Pure.
 */
import { SchemaError, type SchemaErrorCode } from '@truecast/core/internal/errors/schema-error';
import { isLongerThan } from '@truecast/core/internal/kit/utf8-length';
import { compileJsonSchema } from '@truecast/core/internal/schema/engine/compile-json-schema';
import type { JsonSchema, SchemaLimits } from '@truecast/core/internal/schema/engine/read-schema';
import { ImpossibleParts } from '@truecast/core/internal/schema/dialects/impossible/impossible-parts';
import { isRecord } from '@truecast/core/internal/kit/is-record';
import { isObjectRoot } from '@truecast/core/internal/schema/wrap-root';
import { toPointer, type FormatProblem } from './format-problem.ts';
import { expectedAt } from './keyword-expectations.ts';

/** Maximum schema size as compact JSON in UTF-8 bytes. */
export const MAX_SCHEMA_BYTES: number = 16 * 1024;

/** Compiler limits for clients' schemas. */
export const CLIENT_SCHEMA_LIMITS: SchemaLimits = { maxBytes: MAX_SCHEMA_BYTES };

/** Maximum problems. Each further one needs another compilation without the previous one. */
const MAX_PROBLEMS = 8;

/** The compiler's own messages quote the schema. These do not. */
const DETAILS: Readonly<Record<Exclude<SchemaErrorCode, 'invalid'>, string>> = {
  'too-large': `Must have at most ${MAX_SCHEMA_BYTES} bytes of JSON. Make it smaller.`,
  'too-deep': 'Is nested too deeply. Flatten it, or move parts to $defs.',
  'too-many-nodes': 'Contains too many values. Make it smaller.',
  'too-much-work': 'Costs too much to validate. Simplify it.',
  'remote-reference':
    'References must stay inside the document, such as "#/$defs/name". Remote schemas are not loaded.',
  pattern: 'Must be a regular expression that can be run safely. Simplify the pattern.',
  unsupported: 'Uses an unsupported keyword. Remove it.',
};

/** Returns the problems of a schema that was parsed from a client's text. */
export function schemaProblems(
  schema: unknown,
  { field, allowsAnyRoot }: { readonly field: string; readonly allowsAnyRoot: boolean },
): readonly FormatProblem[] {
  if (!isRecord(schema)) return [{ field, detail: 'Must be a JSON Schema, which is a JSON object.' }];
  if (isLongerThan(JSON.stringify(schema), MAX_SCHEMA_BYTES)) {
    return [{ field, detail: DETAILS['too-large'] }];
  }
  const found = compileProblems(schema, field);
  const problems = found.length > 0 ? found : impossibleProblems(schema, field);
  if (allowsAnyRoot || isObjectRoot(schema)) return problems;
  const detail =
    'The root must declare "type": "object". Put an array or a single value under a property of an object.';
  return [{ field, detail, pointer: '/type' }, ...problems.filter(({ pointer }) => pointer !== '/type')];
}

/** A schema that compiles, and that no answer could fit. */
function impossibleProblems(schema: JsonSchema, field: string): readonly FormatProblem[] {
  const part = new ImpossibleParts(schema).explain(schema);
  if (part === undefined) return [];
  return [{ field, detail: IMPOSSIBLE, pointer: toPointer(part.path) }];
}

const IMPOSSIBLE =
  'No JSON value fits here, so no answer is possible. Correct the rules that exclude each other, or make this part optional.';

function compileProblems(schema: JsonSchema, field: string): FormatProblem[] {
  const problems: FormatProblem[] = [];
  let rest = schema;
  while (problems.length < MAX_PROBLEMS) {
    const error = compileError(rest);
    if (error === undefined) break;
    const { code, path } = error;
    const detail = code === 'invalid' ? expectedAt(path) : DETAILS[code];
    problems.push({ field, detail, pointer: toPointer(path) });
    const next = without(rest, path);
    if (path.length === 0 || next === undefined) break;
    rest = next;
  }
  return problems;
}

function compileError(schema: JsonSchema): SchemaError | undefined {
  try {
    compileJsonSchema(schema, CLIENT_SCHEMA_LIMITS);
    return undefined;
  } catch (error) {
    if (SchemaError.isInstance(error)) return error;
    throw error;
  }
}

/** Returns the schema without the part at `path`. Undefined without one. */
function without(schema: JsonSchema, path: readonly (string | number)[]): JsonSchema | undefined {
  const copy: unknown = structuredClone(schema);
  const last = path.at(-1);
  let at = copy;
  for (const key of path.slice(0, -1)) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined;
    at = Reflect.get(at, key);
  }
  if (typeof at !== 'object' || at === null || last === undefined || !Object.hasOwn(at, last)) {
    return undefined;
  }
  if (Array.isArray(at)) at[Number(last)] = true;
  else Reflect.deleteProperty(at, last);
  return isRecord(copy) ? copy : undefined;
}
