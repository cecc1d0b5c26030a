/**
 * Answer fit: whether a value matches a part of a schema. All parts are compiled together, at the
 * first request. Pure.
 */
import { SchemaError } from '../../../errors/schema-error.ts';
import { applySchema } from '../../engine/evaluation/apply-schema.ts';
import { compileDocument, type CompiledSchema } from '../../engine/schema-compilation.ts';
import { ValidationRun } from '../../engine/evaluation/validation-run.ts';
import type { WorkBudget } from '../../work/work-budget.ts';
import { isAssertion } from './is-never.ts';
import { isRecord } from '../../../kit/is-record.ts';
import type { SchemaObject } from './schema-place.ts';

/** Maximum nesting depth of schemas that apply each other. */
const MAX_DEPTH = 1_024;

/** Type checks for the keyword `type` beside an `enum`. */
const TYPE_NAMES: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  integer: (value) => Number.isInteger(value),
  boolean: (value) => typeof value === 'boolean',
  null: (value) => value === null,
  array: (value) => Array.isArray(value),
  object: isRecord,
};

const NARROWING: ReadonlySet<string> = new Set(
  'anyOf oneOf allOf $ref properties required additionalProperties items prefixItems additionalItems'.split(
    ' ',
  ),
);

/** Validates values against parts of the original schema, and of the lowered form. */
export class AnswerFit {
  readonly #root: unknown;
  readonly #definitionsOf: () => SchemaObject;
  readonly #originals = new Set<SchemaObject>();
  readonly #lowered = new Set<SchemaObject>();
  #compiledOriginals: CompiledSchema | undefined | 'none';
  #compiledLowered: CompiledSchema | undefined | 'none';

  constructor(root: unknown, definitionsOf: () => SchemaObject) {
    this.#root = root;
    this.#definitionsOf = definitionsOf;
  }

  /** Registers an alternative: its original, and its lowered form. */
  register(original: unknown, lowered: SchemaObject): void {
    if (isRecord(original)) this.#originals.add(original);
    this.#lowered.add(lowered);
  }

  /** True if any alternatives have to be distinguished. */
  get isUsed(): boolean {
    return this.#lowered.size > 0;
  }

  /** Returns true if a value matches a lowered alternative. */
  fitsLowered(schema: SchemaObject, value: unknown, work: WorkBudget): boolean {
    this.#compiledLowered ??= compileParts({ $defs: this.#definitionsOf() }, this.#lowered);
    return apply(this.#compiledLowered, schema, value, work);
  }

  /**
   * Returns true if a value matches the original of an alternative, or if that cannot be
   * determined.
   */
  fitsOriginal(schema: unknown, value: unknown, work: WorkBudget): boolean {
    if (!isRecord(schema)) return schema !== false;
    this.#compiledOriginals ??= compileParts(isRecord(this.#root) ? this.#root : {}, this.#originals);
    return apply(this.#compiledOriginals, schema, value, work);
  }

  /** Returns the values of an enumeration that the keywords beside it allow. */
  filter(schema: SchemaObject, values: readonly unknown[], work: WorkBudget): readonly unknown[] {
    const { enum: _values, type, ...beside } = schema;
    work.spend(values.length);
    const names: readonly unknown[] = Array.isArray(type) ? type : [type];
    const typed =
      type === undefined
        ? values
        : values.filter((value) => names.some((name) => TYPE_NAMES[String(name)]?.(value) === true));
    if (!Object.keys(beside).some((keyword) => isAssertion(keyword) || NARROWING.has(keyword))) return typed;
    const root = isRecord(this.#root) ? this.#root : {};
    work.spend(JSON.stringify([root, beside]).length);
    const compiled = compileParts(root, new Set([beside]));
    return typed.filter((value) => apply(compiled, beside, value, work));
  }
}

/** Compiles `root` with `parts` among its definitions, so that their references can be resolved. */
function compileParts(root: SchemaObject, parts: ReadonlySet<SchemaObject>): CompiledSchema | 'none' {
  const { $defs, definitions } = root;
  const own = isRecord($defs) ? $defs : {};
  const named = [...parts].map((part, index): [string, SchemaObject] => [`part ${index} of truecast`, part]);
  try {
    return compileDocument({
      ...root,
      $defs: { ...own, ...Object.fromEntries(named) },
      ...(definitions !== undefined && { definitions }),
    });
  } catch (error) {
    if (SchemaError.isInstance(error) || error instanceof RangeError) return 'none';
    throw error;
  }
}

function apply(
  compiled: CompiledSchema | 'none',
  schema: SchemaObject,
  value: unknown,
  work: WorkBudget,
): boolean {
  work.spend(20);
  const node = compiled === 'none' ? undefined : compiled.nodeOf(schema);
  if (compiled === 'none' || node === undefined) return true;
  const run = new ValidationRun({
    maxWork: work.remaining,
    maxDepth: MAX_DEPTH,
    isQuiet: true,
    tracksScope: compiled.isDynamic,
  });
  try {
    return applySchema(node, value, run);
  } catch (error) {
    if (!SchemaError.isInstance(error) || error.code !== 'too-deep') throw error;
    return true;
  } finally {
    work.spend(run.spent);
  }
}
