/**
 * Schema lowering: converts a JSON Schema for a provider's schema mode, with the losses and the
 * inverse. Pure.
 */
import { assertKind, UsageError } from '../../errors/usage-error.ts';
import { describeValue } from '../../kit/describe-value.ts';
import { SchemaError } from '../../errors/schema-error.ts';
import { normalizeSchemaLimits, type SchemaLimits, type JsonSchema } from '../engine/read-schema.ts';
import { guardDepth, WorkBudget } from '../work/work-budget.ts';
import { compileJsonSchema } from '../engine/compile-json-schema.ts';
import { embedSchema, ENVELOPE_KEY } from '../engine/embed-schema.ts';
import { ANTHROPIC_DIALECT } from './profiles/anthropic-dialect.ts';
import { CLAUDE_CODE_DIALECT, PROPERTY_NAME } from './profiles/claude-code-dialect.ts';
import type { DialectProfile, SchemaDialect } from './profiles/dialect-profile.ts';
import { freeRecursion } from './lowering/free-recursion.ts';
import { GEMINI_DIALECT } from './profiles/gemini-dialect.ts';
import { removeImpossible, type RemovedPart } from './impossible/remove-impossible.ts';
import { GRAMMAR_DIALECT } from './profiles/grammar-dialect.ts';
import { keepTargets } from './lowering/keep-targets.ts';
import type { InversePart, Lowered, SchemaChange, SchemaLoss } from './lowering/lowering-port.ts';
import { CODEX_DIALECT, OPENAI_DIALECT } from './profiles/openai-dialect.ts';
import { SchemaLowering } from './lowering/schema-lowering.ts';
import { isRecord } from '../../kit/is-record.ts';
import { showPlace, type SchemaObject, type SchemaPath } from './analysis/schema-place.ts';
import { collectNodes, findSchemaBreach } from './analysis/schema-rule.ts';
import { trimSchema } from './lowering/trim-schema.ts';

const ENVELOPE_FORM = `an object with the answer under \`${ENVELOPE_KEY}\``;

/** A schema for a provider's schema mode. */
export interface LoweredJsonSchema {
  readonly dialect: SchemaDialect;
  /** The schema for the provider. */
  readonly schema: SchemaObject;
  /** Schema rules that the provider does not enforce. Validate answers with the original schema. */
  readonly losses: readonly SchemaLoss[];
  /** Parts that are requested in another form. The inverse converts them back. */
  readonly changes: readonly SchemaChange[];
  /**
   * Converts an answer back to the schema's own form. An answer without the lowered form is not
   * changed.
   *
   * @throws SchemaError `too-much-work` or `too-deep` for an answer whose conversion would cost too
   *   much
   */
  inverse(value: unknown): unknown;
}

/** All supported schema modes, as data. */
export const SCHEMA_DIALECTS: Readonly<Record<SchemaDialect, DialectProfile>> = {
  openai: OPENAI_DIALECT,
  anthropic: ANTHROPIC_DIALECT,
  gemini: GEMINI_DIALECT,
  'claude-code': CLAUDE_CODE_DIALECT,
  codex: CODEX_DIALECT,
  grammar: GRAMMAR_DIALECT,
};

/**
 * Lowers a JSON Schema for a provider's schema mode. Returns each loss, and the inverse mapping.
 *
 * If the provider requires all properties, an optional one becomes required and accepts `null`, and
 * the inverse removes that `null`. If the schema itself allows `null`, it stays and a loss reports
 * it. Maps become lists of entries, tuples become objects, and parts without a type become JSON
 * text. A root that is not an object is wrapped in one under `output`. `enum` and `const` are never
 * lost. Rules that the provider does not support are added to the description. Lowering is
 * idempotent. Validate `inverse(answer)` with the schema itself.
 *
 * @throws SchemaError `unsupported`, with the path, for parts that cannot be expressed: no value
 *   matches, or a limit of the provider; the codes of `compileJsonSchema` for an invalid schema
 * @throws UsageError `invalid-option` for an unknown dialect
 * @example
 * ```ts
 * const { schema, losses, inverse } = lowerJsonSchema({ type: 'array', items: { type: 'string', minLength: 1 } }, 'openai');
 * console.log(schema, losses); // an object with `output`; `minLength` at /items/minLength is lost
 * const value = inverse(JSON.parse(text)); // the array
 * ```
 */
export function lowerJsonSchema(
  schema: JsonSchema,
  dialect: SchemaDialect,
  limits: Pick<SchemaLimits, 'maxWork'> = {},
): LoweredJsonSchema {
  const profile = profileOf(dialect);
  compileJsonSchema(schema, { maxBytes: 1_048_576, maxNodes: 200_000 });
  const text = JSON.stringify(schema);
  assertKind(limits, 'an object', 'limits', 'Pass `{ maxWork }`, or leave it out.');
  const maxWork = limits.maxWork === undefined ? defaultWork(text) : normalizeSchemaLimits(limits).maxWork;
  const work = new WorkBudget({ maxWork, work: 'Lowering the schema', advice: LOWERING_ADVICE });
  return lowerText(text, profile, work);
}

const LOWERING_ADVICE =
  'Merge or repeat fewer parts of it, answer by another mode, or raise `maxWork` for your own schema.';

/** Work for lowering a schema of up to 16 KiB, about 10 to 40 ms. Larger schemas get more. */
const DEFAULT_WORK = 150_000;

function defaultWork(text: string): number {
  return DEFAULT_WORK + Math.max(0, text.length - 16_384) * 16;
}

/** Lowers the JSON text of a schema that compiles, within a budget. */
export function lowerText(text: string, profile: DialectProfile, work: WorkBudget): LoweredJsonSchema {
  // A copy, because parts are identified by their objects.
  const root = JSON.parse(text) as JsonSchema;
  return guardDepth(() => {
    const removed = removeImpossible(root);
    return lowerRoot(root, profile, { work, removed });
  }, 'the schema');
}

interface LoweringContext {
  readonly work: WorkBudget;
  readonly removed: readonly RemovedPart[];
}

function lowerRoot(
  root: JsonSchema,
  profile: DialectProfile,
  { work, removed }: LoweringContext,
): LoweredJsonSchema {
  let lowering = new SchemaLowering(root, profile, work);
  let lowered = profile.method === 'trimmed' ? trimRoot(root, lowering) : rebuildRoot(lowering);
  const nullables = profile.nullablesFor?.(lowered.schema) ?? 0;
  if (nullables > 0) {
    lowering = new SchemaLowering(root, profile, work, nullables);
    lowered = rebuildRoot(lowering);
  }
  assertRules(lowered.schema, lowering);
  for (const { path, keyword, why } of removed) lowering.lose(path, keyword, `it is not requested: ${why}`);
  return {
    dialect: profile.name,
    schema: lowered.schema,
    losses: lowering.losses,
    changes: lowering.changes,
    inverse: makeInverse(lowered.inverse, lowering),
  };
}

function profileOf(dialect: SchemaDialect): DialectProfile {
  if (typeof dialect === 'string' && Object.hasOwn(SCHEMA_DIALECTS, dialect)) return SCHEMA_DIALECTS[dialect];
  throw new UsageError(
    `Expected one of the dialects ${Object.keys(SCHEMA_DIALECTS).join(', ')}, got ${describeValue(dialect)}.`,
  );
}

function rebuildRoot(lowering: SchemaLowering): Lowered {
  const { schema, inverse } = lowering.run();
  const needsEnvelope =
    lowering.profile.root === 'object' && (schema['type'] !== 'object' || 'anyOf' in schema);
  const root = needsEnvelope
    ? {
        type: 'object',
        properties: { [ENVELOPE_KEY]: schema },
        required: [ENVELOPE_KEY],
        additionalProperties: false,
      }
    : schema;
  if (needsEnvelope) lowering.change([], 'type', ENVELOPE_FORM);
  if (root !== schema) lowering.origins.set(root, []);
  const definitions = reachable(root, lowering);
  const document = Object.keys(definitions).length > 0 ? { ...root, $defs: definitions } : root;
  lowering.origins.set(document, []);
  return {
    schema: lowering.profile.recursion === 'optional-only' ? freeRecursion(document, lowering) : document,
    inverse: needsEnvelope ? takeOut(inverse) : inverse,
  };
}

/** Removes definitions whose last reference was inlined. */
function reachable(root: SchemaObject, lowering: SchemaLowering): SchemaObject {
  const definitions = lowering.definitionsOf();
  const names = new Set<string>();
  const open: unknown[] = [root];
  for (const part of open) {
    for (const { schema } of isRecord(part) ? collectNodes(part, lowering.work) : []) {
      const { $ref } = schema;
      const name = typeof $ref === 'string' ? $ref.replace(/^#\/\$defs\//u, '') : '';
      if (names.has(name) || !Object.hasOwn(definitions, name)) continue;
      names.add(name);
      open.push(definitions[name]);
    }
  }
  return Object.fromEntries(Object.entries(definitions).filter(([name]) => names.has(name)));
}

function trimRoot(root: JsonSchema, lowering: SchemaLowering): Lowered {
  const trimmed = trimSchema(root, [], lowering);
  const trim = (part: unknown, path: SchemaPath): unknown => trimSchema(part, path, lowering);
  const schema = isRecord(trimmed) ? keepTargets(trimmed, lowering, trim) : {};
  const { $schema: _draft, ...document } = schema;
  const isObject =
    document['type'] === 'object' || (document['type'] === undefined && isRecord(document['properties']));
  const names = isRecord(document['properties']) ? Object.keys(document['properties']) : [];
  const isPlain =
    isObject &&
    names.every((name) => PROPERTY_NAME.test(name)) &&
    !['$ref', 'anyOf', 'oneOf', 'allOf'].some((keyword) => keyword in document);
  if (isPlain) return { schema: { ...document, type: 'object' }, inverse: undefined };
  lowering.change([], 'type', ENVELOPE_FORM);
  return { schema: embedSchema(document, ENVELOPE_KEY), inverse: takeOut(undefined) };
}

function takeOut(inverse: InversePart): InversePart {
  return (value, work) => {
    if (!isRecord(value) || !Object.hasOwn(value, ENVELOPE_KEY)) return value;
    const inner = value[ENVELOPE_KEY];
    return inverse === undefined ? inner : inverse(inner, work);
  };
}

/** Work for converting an answer back. Nested alternatives can multiply it. */
const INVERSE_WORK = 400_000;
/** Additional work for each value of a large answer. */
const INVERSE_WORK_PER_VALUE = 60;

function makeInverse(inverse: InversePart, { fit }: SchemaLowering): (value: unknown) => unknown {
  if (inverse === undefined) return (value) => value;
  return (value) => {
    const maxWork = INVERSE_WORK + (fit.isUsed ? countValues(value) * INVERSE_WORK_PER_VALUE : 0);
    const work = new WorkBudget({ maxWork, work: 'Turning the answer back', advice: INVERSE_ADVICE });
    return guardDepth(() => inverse(value, work), 'the answer');
  };
}

const INVERSE_ADVICE = 'Use fewer nested alternatives that an answer can match at the same time.';

/** Counts the values of an answer. One that shares objects or contains itself counts as large. */
function countValues(root: unknown): number {
  const open = [root];
  let count = 0;
  for (let value = open.pop(); value !== undefined && count < MAX_COUNTED; value = open.pop()) {
    count += 1;
    if (typeof value === 'object' && value !== null) {
      for (const member of Object.values(value)) open.push(member);
    }
  }
  return count;
}

const MAX_COUNTED = 1_000_000;

function assertRules(schema: SchemaObject, { profile, origins, work }: SchemaLowering): void {
  const breach = findSchemaBreach(schema, profile.rules, work);
  if (breach === undefined) return;
  const path = originOf(schema, breach.path, origins) ?? breach.path;
  const { rule, source, date } = breach.rule;
  throw new SchemaError(
    `The schema mode of \`${profile.name}\` does not accept this schema: expected ${rule}, at ${showPlace(path)} (${source}, ${date}). Make the schema smaller or flatter there, or answer by another mode.`,
    { code: 'unsupported', path },
  );
}

/** Returns the original path of the deepest known part on a path of the lowered schema. */
function originOf(
  schema: SchemaObject,
  path: SchemaPath,
  origins: ReadonlyMap<object, SchemaPath>,
): SchemaPath | undefined {
  let part: unknown = schema;
  let origin = origins.get(schema);
  for (const key of path) {
    part = typeof part === 'object' && part !== null ? Reflect.get(part, key) : undefined;
    if (typeof part === 'object' && part !== null) origin = origins.get(part) ?? origin;
  }
  return origin;
}
