/** Event schema: a validator, and the JSON Schema for constrained decoding. Pure. */
import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec';
import { describeValue } from '../kit/describe-value.ts';
import type { Issue } from '../kit/issue.ts';
import { UsageError } from '../errors/usage-error.ts';
import type { JsonSchema } from '../schema/engine/read-schema.ts';
import type { StandardJsonSchema } from '../schema/json-schema.ts';
import type { EventField } from './event-field.ts';
import { eventFields, assertContract, type EventContractOptions } from './event-options.ts';
import type { EventPayload } from './event-result.ts';

/** JSON Schema targets with the same output. */
const TARGETS: ReadonlySet<string> = new Set(['draft-2020-12', 'draft-07']);

/**
 * Creates the schema of an event: `kind` is a granted kind, `text` is not empty, extra fields are
 * required strings. `winner` is a string or null and `scores` are numbers by name, both with a
 * default.
 *
 * A Standard Schema with Standard JSON Schema. Undeclared fields are dropped. With `winners` the
 * JSON Schema lists the names. The validator does not check them, because a wrong name deserves one
 * question, not a new answer.
 *
 * @throws UsageError `invalid-option` for an empty grant or a reserved extra field
 * @example
 * ```ts
 * const schema = eventSchema({ allowedKinds: ['judge.verdict'], extraFields: ['winner'], winners: ['ada', 'bob'] });
 * const output = Output.object({ schema }); // { kind: 'judge.verdict', text: string, … }
 * ```
 */
export function eventSchema<const TKind extends string>(
  options: EventContractOptions<TKind>,
): StandardJsonSchema<EventPayload<TKind>> {
  assertContract(options);
  const fields = eventFields(options);
  const convert = ({ target }: StandardJSONSchemaV1.Options): Record<string, unknown> => {
    if (TARGETS.has(target)) return toJsonSchema(fields);
    throw new UsageError(
      `Expected the target \`draft-2020-12\` or \`draft-07\`, got ${describeValue(target)}.`,
      { code: 'unsupported' },
    );
  };
  return {
    '~standard': {
      version: 1,
      vendor: 'truecast',
      validate: (value) => validate<TKind>(value, fields),
      jsonSchema: { input: convert, output: convert },
    },
  };
}

function toJsonSchema(fields: readonly EventField[]): Record<string, unknown> {
  const properties: Record<string, JsonSchema> = {};
  for (const { name, jsonSchema } of fields) properties[name] = structuredClone(jsonSchema);
  return {
    type: 'object',
    properties,
    required: fields.filter(({ fallback }) => fallback === undefined).map(({ name }) => name),
    additionalProperties: false,
  };
}

function validate<TKind extends string>(
  value: unknown,
  fields: readonly EventField[],
): StandardSchemaV1.Result<EventPayload<TKind>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { issues: [{ path: [], message: `Expected an object, got ${describeValue(value)}.` }] };
  }
  const given = new Map<string, unknown>(Object.entries(value));
  const issues: Issue[] = [];
  const payload: Record<string, unknown> = {};
  for (const { name, read } of fields) {
    const reading = read(given.get(name));
    payload[name] = reading.value;
    // A value that only a repair makes valid is invalid too, unless no rule of the contract is broken.
    const repaired = (reading.repairs ?? []).map((repair) => ({ ...repair, got: given.get(name) }));
    for (const { path, expected, got } of [...reading.faults, ...repaired]) {
      if (expected !== undefined) {
        issues.push({ path: [name, ...path], message: `Expected ${expected}, got ${describeValue(got)}.` });
      }
    }
  }
  // The same field table defines the type and the validation.
  return issues.length > 0 ? { issues } : { value: payload as EventPayload<TKind> };
}
