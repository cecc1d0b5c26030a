/** Place of an issue: a missing property is reported at its own path, not at the object that lacks it. Pure. */

const MISSING = /^Missing required property `(?<name>[^`]*)`(?<rest>.*)$/su;

/** An issue with its place and its rule. */
export interface PlacedIssue {
  readonly path: string;
  readonly rule: string;
  /** True for a path without a value. */
  readonly isMissing: boolean;
}

/** Returns the issue at the field that it is about: `Missing required property \`why\`` is at `/why`. */
export function placedIssue(path: string, rule: string): PlacedIssue {
  const { name, rest = '' } = MISSING.exec(rule)?.groups ?? {};
  if (name === undefined) return { path, rule, isMissing: false };
  const key = name.replaceAll('~', '~0').replaceAll('/', '~1');
  return { path: `${path}/${key}`, rule: `Is missing${rest}`, isMissing: true };
}
