/** Definitions of a lowered schema: a name for each referenced part, and its lowered form. Pure. */
import type { InversePart, Lowered } from './lowering-port.ts';
import type { SchemaObject, SchemaPath } from '../analysis/schema-place.ts';

/** One definition. In a recursive schema it is lowered after its first reference. */
export interface LoweredDefinition {
  readonly name: string;
  lowered: Lowered | undefined;
}

export class LoweredDefinitions {
  readonly #bySchema = new Map<object, LoweredDefinition>();
  readonly #byName = new Map<string, LoweredDefinition>();
  /** The next number to try if a name is taken. */
  readonly #counts = new Map<string, number>();

  get(schema: object): LoweredDefinition | undefined {
    return this.#bySchema.get(schema);
  }

  add(schema: object, path: SchemaPath): LoweredDefinition {
    const definition: LoweredDefinition = { name: this.#freeName(path), lowered: undefined };
    this.#bySchema.set(schema, definition);
    this.#byName.set(definition.name, definition);
    return definition;
  }

  /** Returns the definition that a lowered schema refers to. */
  referredBy({ $ref }: SchemaObject): LoweredDefinition | undefined {
    return typeof $ref === 'string' ? this.#byName.get($ref.slice(PREFIX.length)) : undefined;
  }

  schemas(): SchemaObject {
    return Object.fromEntries([...this.#byName].map(([name, { lowered }]) => [name, lowered?.schema ?? {}]));
  }

  #freeName(path: SchemaPath): string {
    const isDefinition = path.length === 2 && (path[0] === '$defs' || path[0] === 'definitions');
    const wished = path.length === 0 ? 'root' : String(isDefinition ? path[1] : path.join('_'));
    const base = wished.slice(0, MAX_NAME_CHARS).replaceAll(/[^\w.-]/gu, '_');
    let count = this.#counts.get(base) ?? 1;
    let name = count === 1 ? base : `${base}_${count}`;
    for (; this.#byName.has(name); name = `${base}_${count}`) count += 1;
    this.#counts.set(base, count);
    return name;
  }
}

const PREFIX = '#/$defs/';
const MAX_NAME_CHARS = 100;

/** Returns a reference to a definition. Its inverse is resolved after the definition is lowered. */
export function referTo(definition: LoweredDefinition): Lowered {
  const inverse: InversePart = (value, work) => {
    const turnBack = definition.lowered?.inverse;
    return turnBack === undefined ? value : turnBack(value, work);
  };
  return { schema: { $ref: `${PREFIX}${definition.name}` }, inverse };
}
