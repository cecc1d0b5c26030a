/** Owns bringing the issues of any Standard Schema into one shape and a stable order. Pure. */
import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { Issue } from '../errors/issue.ts';

/** Returns the issues ordered by path, under `prefix`; numbers are compared as numbers, and equal paths keep their order. */
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
  return typeof key === 'symbol' ? String(key.description) : key;
}

function byPath({ path: one }: Issue, { path: other }: Issue): number {
  for (const [index, key] of one.entries()) {
    const against = other[index];
    if (against === undefined) return 1;
    if (key === against) continue;
    if (typeof key === 'number' && typeof against === 'number') return key - against;
    return String(key) < String(against) ? -1 : 1;
  }
  return one.length - other.length;
}
