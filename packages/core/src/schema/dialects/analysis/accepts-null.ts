/** Null acceptance: whether a schema accepts `null`, computed once for each part. Pure. */
import type { WorkMeter } from '../../work/work-budget.ts';
import { type ReferenceIndex, resolveReference } from './reference-index.ts';
import { isRecord } from '../../../kit/is-record.ts';

/** Remembers which parts of one document accept `null`. */
export class NullAcceptance {
  readonly #references: ReferenceIndex;
  readonly #work: WorkMeter;
  readonly #known = new Map<object, boolean>();

  constructor(references: ReferenceIndex, work: WorkMeter) {
    this.#references = references;
    this.#work = work;
  }

  /** Returns true if the schema accepts `null`. Only keywords for every type decide on it. */
  accepts(schema: unknown): boolean {
    if (!isRecord(schema)) return schema !== false;
    const known = this.#known.get(schema);
    if (known !== undefined) return known;
    // A schema that applies itself to the same value accepts nothing.
    this.#known.set(schema, false);
    const isAccepted = this.#judge(schema);
    this.#known.set(schema, isAccepted);
    return isAccepted;
  }

  #judge(schema: Readonly<Record<string, unknown>>): boolean {
    this.#work.spend(2);
    const accepts = (part: unknown): boolean => this.accepts(part);
    const { type, allOf, anyOf, oneOf } = schema;
    if (type !== undefined && type !== 'null' && !(Array.isArray(type) && type.includes('null'))) {
      return false;
    }
    if ('const' in schema && schema['const'] !== null) return false;
    if (Array.isArray(schema['enum']) && !schema['enum'].includes(null)) return false;
    if ('$ref' in schema && !accepts(resolveReference(this.#references, schema['$ref'], []).schema)) {
      return false;
    }
    if (Array.isArray(allOf) && !allOf.every(accepts)) return false;
    if (Array.isArray(anyOf) && !anyOf.some(accepts)) return false;
    if (Array.isArray(oneOf) && oneOf.filter(accepts).length !== 1) return false;
    if ('not' in schema && accepts(schema['not'])) return false;
    if (!('if' in schema)) return true;
    return accepts(schema[accepts(schema['if']) ? 'then' : 'else'] ?? true);
  }
}
