/** Owns telling a Zod issue in the short form in which model services name a wrong field. Pure. */
import type { z } from 'zod';

/** Path and complaint of the first issue. */
export interface FieldIssue {
  /** `messages.0.content`; empty for the whole body. */
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly isMissing: boolean;
}

/** Takes the issue that a service would name: the first one, of the alternative that got furthest. */
export function firstFieldIssue(error: z.ZodError): FieldIssue {
  return describe(error.issues[0], []);
}

function describe(issue: z.core.$ZodIssue | undefined, prefix: readonly PropertyKey[]): FieldIssue {
  if (issue === undefined) return { path: prefix, message: 'Invalid input', isMissing: false };
  const path = [...prefix, ...issue.path];
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    const deepest = issue.errors.toSorted((a, b) => depth(b) - depth(a))[0];
    if (deepest !== undefined && depth(deepest) > 0) return describe(deepest[0], path);
  }
  const isMissing = issue.code === 'invalid_type' && issue.message.endsWith('received undefined');
  return { path, message: isMissing ? 'Field required' : issue.message, isMissing };
}

function depth(issues: readonly z.core.$ZodIssue[]): number {
  return issues[0]?.path.length ?? 0;
}
