/** Detection of a schema's JSON Schema draft. Pure. */

/** Supported drafts. 06 and 04 are read as 07. */
export type Dialect = '2020-12' | '2019-09' | 'draft-07';

/** Draft rules that a compilation needs. */
export interface DialectRules {
  readonly dialect: Dialect;
  /** Up to draft 07, keywords beside a `$ref` are ignored. */
  readonly ignoresRefSiblings: boolean;
  /** Since 2020-12, `items` cannot be a list. */
  readonly allowsItemLists: boolean;
  /** Draft 04 has `id`, and booleans in `exclusiveMinimum` and `exclusiveMaximum`. */
  readonly isDraft04: boolean;
  /** Since 2020-12, `contains` evaluates the items that match. */
  readonly containsEvaluates: boolean;
}

const DECLARED = /^https?:\/\/json-schema\.org\/(?:draft\/(2020-12|2019-09)|draft-(0[4-7]))\/schema#?$/;

/**
 * Keywords that 2020-12 removed. A schema without a declared draft that uses one is read by the
 * union of all drafts.
 */
const LEGACY_KEYWORDS = ['definitions', 'dependencies', 'additionalItems'];

/** Returns the rules of a schema: from its `$schema`, else leniently from its keywords. */
export function detectDialect(schema: unknown): DialectRules {
  if (typeof schema !== 'object' || schema === null) return rulesOf('2020-12', undefined);
  const declared: unknown = Reflect.get(schema, '$schema');
  const match = typeof declared === 'string' ? DECLARED.exec(declared) : null;
  if (match !== null) {
    const [, modern, legacy] = match;
    return modern === '2020-12' || modern === '2019-09'
      ? rulesOf(modern, modern)
      : rulesOf('draft-07', legacy);
  }
  const isLegacy =
    LEGACY_KEYWORDS.some((keyword) => Object.hasOwn(schema, keyword)) ||
    Array.isArray(Reflect.get(schema, 'items'));
  return rulesOf(isLegacy ? 'draft-07' : '2020-12', undefined);
}

function rulesOf(dialect: Dialect, declared: string | undefined): DialectRules {
  return {
    dialect,
    ignoresRefSiblings: dialect === 'draft-07' && declared !== undefined,
    allowsItemLists: declared !== '2020-12',
    isDraft04: declared === '04',
    containsEvaluates: dialect !== '2019-09',
  };
}
