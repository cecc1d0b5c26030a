/** Context of a keyword's compiler: its schema, and methods to read or reject it. Pure. */
import { describeValue } from '../../../kit/describe-value.ts';
import { SchemaError, type SchemaErrorCode } from '../../../errors/schema-error.ts';
import type { Pattern } from '../../pattern/pattern.ts';
import type { DialectRules } from './dialect.ts';
import { type SchemaNode, type LinkedSchemaPath, pathOf } from './schema-node.ts';

/** A reference, resolved after the whole schema has been compiled. */
export interface PendingReference {
  readonly site: KeywordSite;
  readonly keyword: string;
  readonly reference: string;
  /** Receives the target before the first validation. */
  readonly resolve: (target: SchemaNode, fragment: string) => void;
}

export interface CompilationPort {
  readonly rules: DialectRules;
  compile(schema: unknown, path: LinkedSchemaPath, site: KeywordSite): SchemaNode;
  addReference(reference: PendingReference): void;
  pattern(source: string, site: KeywordSite, path: LinkedSchemaPath): Pattern;
}

/** The object schema being compiled. */
export class KeywordSite {
  readonly schema: Readonly<Record<string, unknown>>;
  readonly node: SchemaNode;
  readonly compilation: CompilationPort;

  constructor(schema: Readonly<Record<string, unknown>>, node: SchemaNode, compilation: CompilationPort) {
    this.schema = schema;
    this.node = node;
    this.compilation = compilation;
  }

  at(...keys: readonly (string | number)[]): LinkedSchemaPath {
    return keys.reduce<LinkedSchemaPath>((parent, key) => ({ parent, key }), this.node.path);
  }

  refuse(code: SchemaErrorCode, message: string, path: LinkedSchemaPath, cause?: unknown): SchemaError {
    return new SchemaError(message, { code, path: pathOf(path), cause });
  }

  /** @returns the error for an invalid keyword value */
  invalid(keyword: string, expected: string): SchemaError {
    const got = describeValue(this.schema[keyword]);
    return this.refuse(
      'invalid',
      `Expected \`${keyword}\` to be ${expected}, got ${got}. Correct the schema.`,
      this.at(keyword),
    );
  }

  /** Compiles the schema in a keyword. */
  child(keyword: string): SchemaNode | undefined {
    const schema = this.schema[keyword];
    return schema === undefined ? undefined : this.compilation.compile(schema, this.at(keyword), this);
  }

  /** Compiles the list of schemas in a keyword. */
  children(keyword: string): SchemaNode[] | undefined {
    const list = this.schema[keyword];
    if (list === undefined) return undefined;
    if (!Array.isArray(list)) throw this.invalid(keyword, 'an array of schemas');
    return list.map((schema: unknown, index) =>
      this.compilation.compile(schema, this.at(keyword, index), this),
    );
  }

  /** Compiles the named schemas in a keyword. */
  named(keyword: string): [string, SchemaNode][] | undefined {
    return this.entries(keyword)?.map(([name, schema]) => [
      name,
      this.compilation.compile(schema, this.at(keyword, name), this),
    ]);
  }

  /** Reads the members of an object in a keyword. */
  entries(keyword: string): [string, unknown][] | undefined {
    const object = this.schema[keyword];
    if (object === undefined) return undefined;
    if (typeof object !== 'object' || object === null || Array.isArray(object)) {
      throw this.invalid(keyword, 'an object');
    }
    return Object.entries(object);
  }

  /** Reads an integer of at least 0. */
  count(keyword: string): number | undefined {
    const value = this.schema[keyword];
    if (value === undefined) return undefined;
    if (typeof value === 'number' && Number.isInteger(value) && value >= 0) return value;
    throw this.invalid(keyword, 'a whole number of 0 or more');
  }

  number(keyword: string): number | undefined {
    const value = this.schema[keyword];
    if (value === undefined || typeof value === 'number') return value;
    throw this.invalid(keyword, 'a number');
  }

  string(keyword: string): string | undefined {
    const value = this.schema[keyword];
    if (value === undefined || typeof value === 'string') return value;
    throw this.invalid(keyword, 'a string');
  }

  /** Reads a list of names. */
  names(keyword: string): readonly string[] | undefined {
    const value = this.schema[keyword];
    if (value === undefined) return undefined;
    if (isNames(value)) return value;
    throw this.invalid(keyword, 'an array of strings');
  }
}

/** Returns true for a list of strings. */
function isNames(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((name) => typeof name === 'string');
}
