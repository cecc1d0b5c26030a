/** Array keywords. Pure. */
import { applyBranch, applyToMember } from '../evaluation/apply-schema.ts';
import { ARRAY } from '../evaluation/json-kind.ts';
import type { KeywordSite } from '../evaluation/keyword-site.ts';
import type { SchemaNode } from '../evaluation/schema-node.ts';
import { findDuplicate } from '../evaluation/unique-items.ts';
import type { ValidationRun } from '../evaluation/validation-run.ts';
import { describeRange } from './string-keywords.ts';

/** Compiles `prefixItems`, both forms of `items`, and `additionalItems`. */
export function compileItems(site: KeywordSite): void {
  const isList = Array.isArray(site.schema['items']);
  if (isList && !site.compilation.rules.allowsItemLists) {
    throw site.invalid('items', 'a schema (a list is `prefixItems` since 2020-12)');
  }
  const prefix = site.children(isList ? 'items' : 'prefixItems') ?? [];
  const additional = site.child('additionalItems');
  const rest = isList ? additional : site.child('items');
  if (prefix.length === 0 && rest === undefined) return;
  site.node.add(ARRAY, (value, run) => {
    // Only called with arrays.
    const items = value as readonly unknown[];
    const { evaluated } = run;
    run.evaluated = undefined;
    const isValid = applyToItems(prefix, rest, items, run);
    run.evaluated = evaluated;
    if (evaluated === undefined) return isValid;
    evaluated.itemCount = Math.max(evaluated.itemCount, prefix.length);
    evaluated.hasAllItems ||= rest !== undefined;
    return isValid;
  });
}

/** Compiles `minItems` and `maxItems`. */
export function compileItemCounts(site: KeywordSite): void {
  const min = site.count('minItems') ?? 0;
  const max = site.count('maxItems') ?? Number.POSITIVE_INFINITY;
  site.node.add(ARRAY, (value, run) => {
    // Only called with arrays.
    const { length } = value as readonly unknown[];
    return (
      (length >= min && length <= max) ||
      run.fail(() => `Expected ${describeRange(min, max, 'item')}, got ${length}`)
    );
  });
}

export function compileUniqueItems(site: KeywordSite): void {
  const { uniqueItems } = site.schema;
  if (typeof uniqueItems !== 'boolean') throw site.invalid('uniqueItems', 'a boolean');
  if (!uniqueItems) return;
  site.node.add(ARRAY, (value, run) => {
    // Only called with arrays.
    const duplicate = findDuplicate(value as readonly unknown[], run);
    return (
      duplicate === undefined ||
      run.fail(() => `Expected unique items, got the same at ${duplicate.first} and ${duplicate.second}`)
    );
  });
}

/** Compiles `contains`, `minContains` and `maxContains`. */
export function compileContains(site: KeywordSite): void {
  const node = site.child('contains');
  const min = site.count('minContains') ?? 1;
  const max = site.count('maxContains') ?? Number.POSITIVE_INFINITY;
  if (node === undefined) return;
  const { containsEvaluates } = site.compilation.rules;
  site.node.add(ARRAY, (value, run) => {
    // Only called with arrays.
    const items = value as readonly unknown[];
    const evaluated = containsEvaluates ? run.evaluated : undefined;
    const enough = max === Number.POSITIVE_INFINITY && evaluated === undefined ? min : max + 1;
    let count = 0;
    for (let index = 0; index < items.length && count < enough; index += 1) {
      if (!holdsQuietly(node, items[index], index, run)) continue;
      count += 1;
      evaluated?.items.add(index);
    }
    return (
      (count >= min && count <= max) ||
      run.fail(() => `Expected ${describeRange(min, max, 'item')} that match \`contains\`, got ${count}`)
    );
  });
}

export function compileUnevaluatedItems(site: KeywordSite): void {
  const node = site.child('unevaluatedItems');
  if (node === undefined) return;
  site.node.tracksEvaluated = true;
  site.node.addLast((value, run) => {
    const { evaluated } = run;
    if (!Array.isArray(value) || evaluated === undefined || evaluated.hasAllItems) return true;
    run.evaluated = undefined;
    let isValid = true;
    for (let index = evaluated.itemCount; index < value.length; index += 1) {
      run.spend(1);
      if (evaluated.items.has(index) || applyToMember(node, value[index], index, run)) continue;
      isValid = false;
      if (run.isQuiet) break;
    }
    evaluated.hasAllItems = true;
    run.evaluated = evaluated;
    return isValid;
  });
}

function applyToItems(
  prefix: readonly SchemaNode[],
  rest: SchemaNode | undefined,
  items: readonly unknown[],
  run: ValidationRun,
): boolean {
  const end = rest === undefined || rest.takesAll() ? Math.min(prefix.length, items.length) : items.length;
  let isValid = true;
  for (let index = 0; index < end; index += 1) {
    const node = prefix[index] ?? rest;
    if (node === undefined || applyToMember(node, items[index], index, run)) continue;
    isValid = false;
    if (run.isQuiet) break;
  }
  return isValid;
}

function holdsQuietly(node: SchemaNode, item: unknown, index: number, run: ValidationRun): boolean {
  const { evaluated } = run;
  run.evaluated = undefined;
  run.path.push(index);
  const isValid = run.quietly(() => applyBranch(node, item, run));
  run.path.pop();
  run.evaluated = evaluated;
  return isValid;
}
