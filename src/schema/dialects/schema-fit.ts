/** Owns telling whether a value fits a part of a schema, each part compiled once, when it is first asked. Pure. */
import { SchemaError } from '../../errors/schema-error.ts';
import { compileJsonSchema, type JsonSchemaValidator } from '../compile-json-schema.ts';
import { isRecord, type SchemaObject } from './schema-place.ts';

/** References that lead elsewhere than to a definition have no meaning in a part that stands alone. */
const REFERS_ELSEWHERE = /"\$ref":"(?!#\/(?:\$defs|definitions)\/)/u;

/** Validators of a schema's parts; true where a part cannot be judged alone. */
export class SchemaFit {
  private readonly validators = new Map<unknown, JsonSchemaValidator | undefined>();

  /** Tells whether `value` fits `document`, which is compiled once for `key`. */
  fits(key: unknown, document: SchemaObject, value: unknown): boolean {
    if (!this.validators.has(key)) this.validators.set(key, compileOrNot(document));
    const validator = this.validators.get(key);
    if (validator === undefined) return true;
    try {
      return validator.validate(value).valid;
    } catch (error) {
      if (SchemaError.isInstance(error)) return true;
      throw error;
    }
  }

  /** Tells whether `value` fits `part`, which refers to definitions of `root`. */
  fitsWithin(root: unknown, part: unknown, value: unknown): boolean {
    if (!isRecord(part)) return part !== false;
    const { $defs, definitions } = isRecord(root) ? root : {};
    if (REFERS_ELSEWHERE.test(JSON.stringify([part, $defs, definitions]))) return true;
    const document = {
      ...part,
      ...($defs !== undefined && { $defs }),
      ...(definitions !== undefined && { definitions }),
    };
    return this.fits(part, document, value);
  }
}

function compileOrNot(document: SchemaObject): JsonSchemaValidator | undefined {
  try {
    return compileJsonSchema(document, { maxBytes: 4_194_304, maxNodes: 400_000 });
  } catch (error) {
    if (SchemaError.isInstance(error)) return undefined;
    throw error;
  }
}
