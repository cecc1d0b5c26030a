/** Public schemas as the answer of an outcome: what a dialect carries, it carries in the outcome too. */
import { expect, it } from 'vitest';
import { SchemaError } from '../../packages/core/src/errors/schema-error.ts';
import { isRecord } from '../../packages/core/src/kit/is-record.ts';
import { outputJsonSchema } from '../../packages/core/src/output/definition/output-json-schema.ts';
import { Output } from '../../packages/core/src/output/output.ts';
import { canonicalJson } from '../../packages/core/src/schema/canonical-json.ts';
import {
  lowerJsonSchema,
  SCHEMA_DIALECTS,
} from '../../packages/core/src/schema/dialects/lower-json-schema.ts';
import type { SchemaDialect } from '../../packages/core/src/schema/dialects/profiles/dialect-profile.ts';
import { compileJsonSchema } from '../../packages/core/src/schema/engine/compile-json-schema.ts';
import type { JsonSchema } from '../../packages/core/src/schema/engine/read-schema.ts';
import { jsonSchema } from '../../packages/core/src/schema/json-schema.ts';
import { sampleValue } from '../../packages/core/src/schema/sample/sample-value.ts';
import { matrixRuns } from '../matrix.ts';
import { readPublicSchemas, type PublicSchema } from '../grammar-engines/public-schemas.ts';

const DIALECTS = Object.keys(SCHEMA_DIALECTS) as SchemaDialect[];
const LIMITS = { maxBytes: 10_000_000, maxNodes: 1_000_000 };
/** Each third schema, for one dialect, and in the short form each ninth. */
const STEP = matrixRuns(9, 3);

const accepts = (schema: JsonSchema, value: unknown): boolean =>
  compileJsonSchema(schema, LIMITS).validate(value).valid;

/** A value in the form of a dialect, and the answer that it is. Undefined if the dialect has no form. */
function carriedBy(
  { schema }: PublicSchema,
  dialect: SchemaDialect,
): { sent: unknown; answer: unknown } | undefined {
  try {
    const { schema: lowered, inverse } = lowerJsonSchema(schema, dialect);
    const value = sampleValue(lowered);
    const answer = inverse(value);
    if (!accepts(lowered, value) || !accepts(schema, answer)) return undefined;
    return { sent: isEnvelope(lowered, schema) ? Object(value).output : value, answer };
  } catch (error) {
    if (SchemaError.isInstance(error)) return undefined;
    throw error;
  }
}

/** True if the dialect has put the root into an envelope. */
function isEnvelope(lowered: unknown, schema?: unknown): boolean {
  const keysOf = (part: unknown): readonly string[] =>
    isRecord(part) && isRecord(part['properties']) ? Object.keys(part['properties']) : [];
  return keysOf(lowered).join() === 'output' && !keysOf(schema).includes('output');
}

it(`one in ${STEP} public schemas, in one dialect each`, { timeout: 300_000 }, async () => {
  const lost: string[] = [];
  let [schemas, same] = [0, 0];
  for (const [index, part] of (await readPublicSchemas()).entries()) {
    const dialect = DIALECTS[Math.floor(index / STEP) % DIALECTS.length] ?? 'openai';
    const carried = index % STEP === 0 ? carriedBy(part, dialect) : undefined;
    if (carried === undefined) continue;
    schemas += 1;
    const standard = jsonSchema.unchecked(part.schema, LIMITS);
    const composed =
      outputJsonSchema(Output.object({ schema: standard, question: true, decline: true })) ?? false;
    const { schema: lowered, inverse } = lowerJsonSchema(composed, dialect);
    const sent = isEnvelope(lowered) ? { output: { answer: carried.sent } } : { answer: carried.sent };
    const restored = inverse(sent);
    const isSame = canonicalJson(restored) === canonicalJson({ answer: carried.answer });
    if (isSame && accepts(lowered, sent) && accepts(composed, restored)) same += 1;
    else lost.push(`${part.name} for ${dialect}: ${JSON.stringify(restored)}`);
  }
  expect(lost).toEqual([]);
  expect(same).toBe(schemas);
  expect(schemas).toBeGreaterThan(900 / STEP);
});
