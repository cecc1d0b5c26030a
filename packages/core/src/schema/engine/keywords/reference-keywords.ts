/** Reference keywords, within the same document. Pure. */
import { applySchema } from '../evaluation/apply-schema.ts';
import { ANY } from '../evaluation/json-kind.ts';
import type { KeywordSite } from '../evaluation/keyword-site.ts';
import type { SchemaNode } from '../evaluation/schema-node.ts';
import type { ValidationRun } from '../evaluation/validation-run.ts';

export function compileRef(site: KeywordSite): void {
  addReference(site, '$ref', () => (target) => target);
}

/**
 * Compiles `$dynamicRef`: if its target is a dynamic anchor, the outermost resource with that name
 * decides.
 */
export function compileDynamicRef(site: KeywordSite): void {
  addReference(site, '$dynamicRef', (fragment) => (target, run) => findDynamic(fragment, target, run));
}

/** Compiles `$recursiveRef`, the same for the single name of draft 2019-09. */
export function compileRecursiveRef(site: KeywordSite): void {
  if (site.schema['$recursiveRef'] !== '#') throw site.invalid('$recursiveRef', '"#"');
  addReference(site, '$recursiveRef', () => (target, run) => findDynamic('', target, run));
}

type FindTarget = (target: SchemaNode, run: ValidationRun) => SchemaNode;

function addReference(site: KeywordSite, keyword: string, finderOf: (fragment: string) => FindTarget): void {
  const reference = site.string(keyword) ?? '';
  let initial = site.node;
  let find: FindTarget = (target) => target;
  site.compilation.addReference({
    site,
    keyword,
    reference,
    resolve: (target, fragment) => {
      initial = target;
      find = finderOf(fragment);
      // The end of a dynamic chain is known only during a validation, whose depth is limited.
      if (keyword === '$ref') site.node.addInPlace(target);
    },
  });
  site.node.add(ANY, (value, run) => applySchema(find(initial, run), value, run));
}

function findDynamic(fragment: string, target: SchemaNode, run: ValidationRun): SchemaNode {
  if (target.resource.dynamicAnchors.get(fragment) !== target) return target;
  for (const { dynamicAnchors } of run.scope) {
    run.spend(1);
    const found = dynamicAnchors.get(fragment);
    if (found !== undefined) return found;
  }
  return target;
}
