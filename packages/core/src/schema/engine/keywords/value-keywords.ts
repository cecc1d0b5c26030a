/** Keywords for values of any kind: `type`, `enum`, `const`. Pure. */
import { ANY, KINDS_BY_NAME } from '../evaluation/json-kind.ts';
import { isDeepEqual } from '../evaluation/deep-equal.ts';
import type { KeywordSite } from '../evaluation/keyword-site.ts';
import type { KeywordCheck } from '../evaluation/schema-node.ts';

export function compileType(site: KeywordSite): void {
  const { type } = site.schema;
  const names: readonly unknown[] = Array.isArray(type) ? type : [type];
  let kinds = 0;
  for (const name of names) {
    const bits = KINDS_BY_NAME.get(name);
    if (bits === undefined) {
      throw site.invalid('type', `one of ${[...KINDS_BY_NAME.keys()].join(', ')}, or an array of them`);
    }
    kinds |= bits;
  }
  site.node.kinds &= kinds;
}

/** Compiles `enum`. An empty one accepts nothing. */
export function compileEnum(site: KeywordSite): void {
  const values: unknown = site.schema['enum'];
  if (!Array.isArray(values)) throw site.invalid('enum', 'an array');
  site.node.add(ANY, isOneOf(values));
}

export function compileConst(site: KeywordSite): void {
  site.node.add(ANY, isOneOf([site.schema['const']]));
}

function isOneOf(values: readonly unknown[]): KeywordCheck {
  // A `Set` treats -0 as 0, as JSON Schema does, and distinguishes '1' from 1.
  const scalars = new Set(values.filter((value) => typeof value !== 'object' || value === null));
  const others = values.filter((value) => typeof value === 'object' && value !== null);
  return (value, run) =>
    scalars.has(value) ||
    (typeof value === 'object' && others.some((other) => isDeepEqual(other, value, run))) ||
    run.failConstant(values, value);
}
