/** Renders a Zod issue in the short form of model services. Pure. */
import type { z } from 'zod';

/** Path and message of the first issue. */
export interface FieldIssue {
  /** From the root of the body; empty for the whole body. */
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly isMissing: boolean;
}

/**
 * Selects the issue of `body` that a service would report: the first one, of the alternative that
 * matched furthest.
 */
export function firstFieldIssue(error: z.ZodError, body: unknown): FieldIssue {
  const { path, message } = deepest(error.issues[0], []);
  const isMissing = valueAt(body, path) === undefined;
  return { path, message: isMissing ? 'Field required' : message, isMissing };
}

interface PlacedIssue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

function deepest(issue: z.core.$ZodIssue | undefined, prefix: readonly PropertyKey[]): PlacedIssue {
  if (issue === undefined) return { path: prefix, message: 'Invalid input' };
  const path = [...prefix, ...issue.path];
  const alternatives = issue.code === 'invalid_union' ? issue.errors : [];
  const [furthest] = alternatives.toSorted((a, b) => depth(b) - depth(a));
  return furthest === undefined || depth(furthest) === 0
    ? { path, message: issue.message }
    : deepest(furthest[0], path);
}

function depth(issues: readonly z.core.$ZodIssue[]): number {
  return issues[0]?.path.length ?? 0;
}

function valueAt(body: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, step) =>
      typeof value === 'object' && value !== null ? (value as Record<PropertyKey, unknown>)[step] : undefined,
    body,
  );
}
