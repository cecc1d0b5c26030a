/** Owns `lowerJsonSchema()`: the schema that a provider's own schema mode takes, what is lost on the way, and the way back. Pure. */
import { describeValue } from '../../errors/describe-value.ts';
import { SchemaError } from '../../errors/schema-error.ts';
import { UsageError } from '../../errors/usage-error.ts';
import { compileJsonSchema } from '../compile-json-schema.ts';
import { embedSchema } from '../embed-schema.ts';
import type { JsonSchema } from '../json-schema-types.ts';
import { ANTHROPIC_DIALECT } from './anthropic-dialect.ts';
import { CLAUDE_CODE_DIALECT, PROPERTY_NAME } from './claude-code-dialect.ts';
import type { DialectProfile, SchemaDialect } from './dialect-profile.ts';
import { freeRecursion } from './free-recursion.ts';
import { GEMINI_DIALECT } from './gemini-dialect.ts';
import { isNever } from './is-never.ts';
import type { InversePart, Lowered, SchemaChange, SchemaLoss } from './lowering-port.ts';
import { CODEX_DIALECT, OPENAI_DIALECT } from './openai-dialect.ts';
import { SchemaLowering } from './schema-lowering.ts';
import { isRecord, showPlace, type SchemaObject, type SchemaPath } from './schema-place.ts';
import { collectNodes, findSchemaBreach } from './schema-rule.ts';
import { trimSchema } from './trim-schema.ts';

/** Key of the object around an answer that is none itself; also what models put around answers on their own. */
const ENVELOPE_KEY = 'output';

const ENVELOPE_FORM = `an object with the answer under \`${ENVELOPE_KEY}\``;

/** A schema for a provider's schema mode. */
export interface LoweredJsonSchema {
  readonly dialect: SchemaDialect;
  /** What the provider is given. */
  readonly schema: SchemaObject;
  /** What of the schema the provider does not hold the answer to; validate with the schema itself. */
  readonly losses: readonly SchemaLoss[];
  /** What is asked for in another form; the inverse turns it back. */
  readonly changes: readonly SchemaChange[];
  /** Turns an answer back into the schema's own form; what has not the lowered form stays as it is. Never throws. */
  inverse(value: unknown): unknown;
}

/** Every schema mode that is known, as data. */
export const SCHEMA_DIALECTS: Readonly<Record<SchemaDialect, DialectProfile>> = {
  openai: OPENAI_DIALECT,
  anthropic: ANTHROPIC_DIALECT,
  gemini: GEMINI_DIALECT,
  'claude-code': CLAUDE_CODE_DIALECT,
  codex: CODEX_DIALECT,
};

/**
 * Lowers a JSON Schema to what a provider's schema mode takes, with each loss and the inverse mapping.
 *
 * A property that may be absent becomes one that may be `null` where all must be there, and the inverse drops that `null`; where the schema itself
 * allows `null` it stays, and the loss says so. Maps become lists of entries, tuples objects, what has no type JSON text, and a root that is no object
 * stands in one under `output`. `enum` and `const` are never lost. What a provider cannot be told stands in the description. Lowering what is
 * lowered changes nothing. Validate `inverse(answer)` with the schema itself.
 *
 * @throws SchemaError `unsupported`, with the path, for what cannot be carried: no value fits, or a limit of the provider; the codes of `compileJsonSchema` for a schema that is none
 * @throws UsageError `invalid-option` for a dialect that is none
 * @example
 * ```ts
 * const { schema, losses, inverse } = lowerJsonSchema({ type: 'array', items: { type: 'string', minLength: 1 } }, 'openai');
 * console.log(schema, losses); // an object with `output`; `minLength` at /items/minLength is lost
 * const value = inverse(JSON.parse(text)); // the array
 * ```
 */
export function lowerJsonSchema(schema: JsonSchema, dialect: SchemaDialect): LoweredJsonSchema {
  const profile = profileOf(dialect);
  compileJsonSchema(schema, { maxBytes: 1_048_576, maxNodes: 200_000 });
  // A copy: parts that share an object are told apart by it.
  const root = JSON.parse(JSON.stringify(schema)) as JsonSchema;
  if (isNever(root)) {
    throw new SchemaError('No value fits the schema, so no answer can be asked for. Change it.', {
      code: 'unsupported',
      path: [],
    });
  }
  const lowering = new SchemaLowering(root, profile);
  const lowered = profile.method === 'trimmed' ? trimRoot(root, lowering) : rebuildRoot(lowering);
  assertRules(lowered.schema, lowering);
  return {
    dialect,
    schema: lowered.schema,
    losses: lowering.losses,
    changes: lowering.changes,
    inverse: guard(lowered.inverse),
  };
}

function profileOf(dialect: SchemaDialect): DialectProfile {
  if (Object.hasOwn(SCHEMA_DIALECTS, dialect)) return SCHEMA_DIALECTS[dialect];
  throw new UsageError(
    `Expected a dialect out of ${Object.keys(SCHEMA_DIALECTS).join(', ')}, got ${describeValue(dialect)}.`,
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
  const definitions = reachable(root, lowering.definitionsOf());
  const document = Object.keys(definitions).length > 0 ? { ...root, $defs: definitions } : root;
  lowering.origins.set(document, []);
  return {
    schema: lowering.profile.recursion === 'optional-only' ? freeRecursion(document, lowering) : document,
    inverse: needsEnvelope ? takeOut(inverse) : inverse,
  };
}

/** Leaves out definitions whose last reference was put into its own place. */
function reachable(root: SchemaObject, definitions: SchemaObject): SchemaObject {
  const names = new Set<string>();
  const open: unknown[] = [root];
  for (const part of open) {
    for (const { schema } of isRecord(part) ? collectNodes(part) : []) {
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
  const schema = isRecord(trimmed) ? trimmed : {};
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

function takeOut(inverse: InversePart): (value: unknown) => unknown {
  return (value) => {
    if (!isRecord(value) || !Object.hasOwn(value, ENVELOPE_KEY)) return value;
    const inner = value[ENVELOPE_KEY];
    return inverse === undefined ? inner : inverse(inner);
  };
}

/** A value that is too deep for the stack is too deep for the validation that follows, which says so. */
function guard(inverse: InversePart): (value: unknown) => unknown {
  return (value) => {
    try {
      return inverse === undefined ? value : inverse(value);
    } catch (error) {
      if (error instanceof RangeError) return value;
      throw error;
    }
  };
}

function assertRules(schema: SchemaObject, { profile, origins }: SchemaLowering): void {
  const breach = findSchemaBreach(schema, profile.rules);
  if (breach === undefined) return;
  const path: SchemaPath = origins.get(breach.node.schema) ?? breach.path;
  const { rule, source, date } = breach.rule;
  throw new SchemaError(
    `The schema mode of \`${profile.name}\` does not take this schema: expected ${rule}, at ${showPlace(path)} (${source}, ${date}). Make the schema smaller or flatter there, or answer by another route.`,
    { code: 'unsupported', path },
  );
}
