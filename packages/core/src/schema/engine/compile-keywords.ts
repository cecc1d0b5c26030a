/** Keyword registry: the compiler of each keyword. Pure. */
import type { KeywordSite } from './evaluation/keyword-site.ts';
import {
  compileContains,
  compileItemCounts,
  compileItems,
  compileUnevaluatedItems,
  compileUniqueItems,
} from './keywords/array-keywords.ts';
import {
  compileAllOf,
  compileAnyOf,
  compileIf,
  compileNot,
  compileOneOf,
} from './keywords/logic-keywords.ts';
import { compileBounds, compileMultipleOf } from './keywords/number-keywords.ts';
import {
  compileDependencies,
  compileMembers,
  compilePropertyCounts,
  compilePropertyNames,
  compileRequired,
  compileUnevaluatedProperties,
} from './keywords/object-keywords.ts';
import { compileDynamicRef, compileRecursiveRef, compileRef } from './keywords/reference-keywords.ts';
import { compileFormat, compileLengths, compilePatternKeyword } from './keywords/string-keywords.ts';
import { compileConst, compileEnum, compileType } from './keywords/value-keywords.ts';

type KeywordCompiler = (site: KeywordSite) => void;

/** Keywords that contain named schemas and check nothing. */
const DEFINITIONS = ['$defs', 'definitions'] as const;

const compileDefinitions: KeywordCompiler = (site) => {
  for (const keyword of DEFINITIONS) site.named(keyword);
};

/**
 * Cheap checks come first, so that a quiet run ends early. Keywords with the same compiler are
 * compiled together, once.
 */
const COMPILERS: ReadonlyMap<string, KeywordCompiler> = new Map<string, KeywordCompiler>([
  ['type', compileType],
  ['const', compileConst],
  ['enum', compileEnum],
  ['minimum', compileBounds],
  ['maximum', compileBounds],
  ['exclusiveMinimum', compileBounds],
  ['exclusiveMaximum', compileBounds],
  ['multipleOf', compileMultipleOf],
  ['minLength', compileLengths],
  ['maxLength', compileLengths],
  ['format', compileFormat],
  ['pattern', compilePatternKeyword],
  ['minItems', compileItemCounts],
  ['maxItems', compileItemCounts],
  ['minProperties', compilePropertyCounts],
  ['maxProperties', compilePropertyCounts],
  ['required', compileRequired],
  ['properties', compileMembers],
  ['patternProperties', compileMembers],
  ['additionalProperties', compileMembers],
  ['propertyNames', compilePropertyNames],
  ['dependentRequired', compileDependencies],
  ['dependentSchemas', compileDependencies],
  ['dependencies', compileDependencies],
  ['prefixItems', compileItems],
  ['items', compileItems],
  ['additionalItems', compileItems],
  ['contains', compileContains],
  ['minContains', compileContains],
  ['maxContains', compileContains],
  ['uniqueItems', compileUniqueItems],
  ['$ref', compileRef],
  ['$dynamicRef', compileDynamicRef],
  ['$recursiveRef', compileRecursiveRef],
  ['allOf', compileAllOf],
  ['anyOf', compileAnyOf],
  ['oneOf', compileOneOf],
  ['not', compileNot],
  ['if', compileIf],
  ['then', compileIf],
  ['else', compileIf],
  ['unevaluatedItems', compileUnevaluatedItems],
  ['unevaluatedProperties', compileUnevaluatedProperties],
  ['$defs', compileDefinitions],
  ['definitions', compileDefinitions],
]);

const ORDER: ReadonlyMap<KeywordCompiler, number> = new Map(
  [...new Set(COMPILERS.values())].map((compiler, index) => [compiler, index]),
);

/** Compiles every keyword of a schema. Unknown ones are annotations. */
export function compileKeywords(site: KeywordSite): void {
  const isOnlyReference = site.compilation.rules.ignoresRefSiblings && site.schema['$ref'] !== undefined;
  if (isOnlyReference) {
    compileRef(site);
    compileDefinitions(site);
    return;
  }
  const compilers = new Set<KeywordCompiler>();
  for (const keyword of Object.keys(site.schema)) {
    const compiler = COMPILERS.get(keyword);
    if (compiler !== undefined) compilers.add(compiler);
  }
  const ordered = [...compilers].sort((left, right) => (ORDER.get(left) ?? 0) - (ORDER.get(right) ?? 0));
  for (const compiler of ordered) compiler(site);
}
