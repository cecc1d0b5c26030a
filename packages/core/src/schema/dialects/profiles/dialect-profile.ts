/**
 * Dialect profile: the JSON Schema subset of one provider's schema mode, as data that
 * `lower-json-schema.ts` applies. Pure.
 */
import type { SchemaObject } from '../analysis/schema-place.ts';
import type { SchemaRule } from '../analysis/schema-rule.ts';

/** Names of all dialects. The wire, the command and the documents take them from here. */
export const DIALECTS = ['openai', 'anthropic', 'gemini', 'claude-code', 'codex', 'grammar'] as const;

/** A provider's schema mode. */
export type SchemaDialect = (typeof DIALECTS)[number];

/** Kinds of values that an enumeration can contain unchanged. */
export type LiteralKind = 'string' | 'number' | 'boolean' | 'null';

/** One schema mode, as data. */
export interface DialectProfile {
  readonly name: SchemaDialect;
  /** Rules for a lowered schema, each with its source and examples. */
  readonly rules: readonly SchemaRule[];
  /** Keywords allowed in a lowered schema. */
  readonly keywords: ReadonlySet<string>;
  /** Supported values of `format`. Undefined for any. */
  readonly formats?: ReadonlySet<string>;
  /**
   * `trimmed`: the provider accepts JSON Schema in general, and unsupported keywords are removed.
   * `rebuilt`: each part is converted to the supported forms.
   */
  readonly method: 'trimmed' | 'rebuilt';
  /** Treatment of optional properties. */
  readonly optional: 'required-nullable' | 'kept';
  /** Treatment of properties with arbitrary names. */
  readonly maps: 'entries' | 'kept';
  /** True if patterns, formats and lengths of strings are written in the notation that every engine reads. */
  readonly hasPortableText?: boolean;
  /** False if a reference to the whole schema must be one to a definition. @default true */
  readonly hasRootReferences?: boolean;
  /** Maximum of values of a bounded multiple that become an enumeration. Undefined for none. */
  readonly maxMultiples?: number;
  readonly tuples: 'object' | 'prefixItems' | 'items';
  readonly recursion: 'kept' | 'json-text' | 'optional-only';
  readonly literals: ReadonlySet<LiteralKind>;
  /** True if objects without properties are supported. */
  readonly emptyObjects: boolean;
  readonly root: 'object' | 'any';
  /**
   * Returns how many optional properties of a lowered schema must become required ones that accept
   * `null`.
   */
  nullablesFor?(schema: SchemaObject): number;
  /**
   * Returns true if a supported keyword is not enforced by each server with this dialect. It is then also
   * added to the description.
   */
  isDoubtful?(keyword: string, schema: SchemaObject): boolean;
  /**
   * Returns true if this keyword is supported with this value, for keywords where that depends on
   * the value.
   */
  takes?(keyword: string, value: unknown): boolean;
}
