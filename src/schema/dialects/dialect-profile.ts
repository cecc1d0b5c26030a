/** Owns what there is to know of one provider's schema mode: what it takes, and what to do about the rest. Pure. */
import type { SchemaRule } from './schema-rule.ts';

/** A provider's schema mode. */
export type SchemaDialect = 'openai' | 'anthropic' | 'gemini' | 'claude-code' | 'codex';

/** The kinds of value that an enumeration may hold as they are. */
export type LiteralKind = 'string' | 'number' | 'boolean' | 'null';

/** One schema mode, as data. */
export interface DialectProfile {
  readonly name: SchemaDialect;
  /** What a lowered schema must keep; each with its source and examples. */
  readonly rules: readonly SchemaRule[];
  /** Keywords that may stand in a lowered schema. */
  readonly keywords: ReadonlySet<string>;
  /** Values of `format` that it takes; undefined for any. */
  readonly formats?: ReadonlySet<string>;
  /** `trimmed`: it takes JSON Schema at large, and what it does not know is left out; `rebuilt`: each part is put into the forms it takes. */
  readonly method: 'trimmed' | 'rebuilt';
  /** What becomes of a property that may be absent. */
  readonly optional: 'required-nullable' | 'kept';
  /** What becomes of properties of any name. */
  readonly maps: 'entries' | 'kept';
  readonly tuples: 'object' | 'prefixItems' | 'items';
  readonly recursion: 'kept' | 'json-text' | 'optional-only';
  readonly literals: ReadonlySet<LiteralKind>;
  /** Whether an object without any property is taken. */
  readonly emptyObjects: boolean;
  readonly root: 'object' | 'any';
  /** Tells whether it takes this keyword with this value, where that depends on the value. */
  takes?(keyword: string, value: unknown): boolean;
}
