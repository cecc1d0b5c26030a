/**
 * Issue normalization: converts the issues of any Standard Schema to one shape and a stable order.
 * Pure.
 */
import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { Issue } from '../../errors/base/issue.ts';

/**
 * Returns the issues ordered by path, under `prefix`.
 *
 * Indexes come before names and in numeric order, names in the order of UTF-16 units, and a path
 * before its children. Issues of one path keep their order.
 */
export function normalizeIssues(
  issues: readonly StandardSchemaV1.Issue[],
  prefix: Issue['path'] = [],
): Issue[] {
  return issues
    .map(({ path = [], message }) => ({ path: [...prefix, ...path.map(toKey)], message }))
    .toSorted(byPath);
}

function toKey(segment: PropertyKey | StandardSchemaV1.PathSegment): string | number {
  const key = typeof segment === 'object' ? segment.key : segment;
  return typeof key === 'symbol' ? (key.description ?? '') : key;
}

function byPath({ path: one }: Issue, { path: other }: Issue): number {
  for (const [index, key] of one.entries()) {
    const against = other[index];
    if (against === undefined) return 1;
    if (key !== against) return compareKeys(key, against);
  }
  return one.length - other.length;
}

/**
 * Numbers and names are never compared with each other. An order that depended on the pair would be
 * inconsistent.
 */
function compareKeys(key: string | number, against: string | number): number {
  if (typeof key === 'number' && typeof against === 'number') return key - against;
  if (typeof key === 'number') return -1;
  if (typeof against === 'number') return 1;
  return key < against ? -1 : 1;
}
