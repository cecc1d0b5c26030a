/** Error of invalid event-agent manifests. Pure. */
import { readOrRefuse } from './usage-error.ts';
import { brand, isBranded, TruecastError } from './base/truecast-error.ts';

/** Why manifests were refused. */
export type ManifestErrorCode = 'invalid-manifest';

/** A problem in a manifest and its location. */
export interface ManifestProblem {
  readonly file: string;
  /** 1-based. */
  readonly line: number;
  /** 1-based, in UTF-16 units. */
  readonly column: number;
  /** Keys and indexes from the root of the file. Empty for the file as a whole. */
  readonly path: readonly (string | number)[];
  readonly message: string;
  /** How to fix the problem. */
  readonly hint?: string;
}

/** Number of problems that the message lists. `problems` has all of them. */
const MAX_TOLD = 5;

/**
 * Thrown for invalid manifests of agents, scenarios and models. Lists every problem by file, line
 * and column.
 *
 * @example
 * ```ts
 * if (ManifestError.isInstance(error)) for (const problem of error.problems) console.error(describeProblem(problem));
 * ```
 */
export class ManifestError extends TruecastError {
  override readonly name: string = 'ManifestError';
  declare readonly code: ManifestErrorCode;
  /** Ordered by file, line and column. Not empty. */
  readonly problems: readonly ManifestProblem[];

  constructor(found: readonly ManifestProblem[]) {
    const problems = found.toSorted(
      (a, b) => compare(a.file, b.file) || a.line - b.line || a.column - b.column,
    );
    const told = problems.slice(0, MAX_TOLD).map(describeProblem);
    const rest = problems.length - told.length;
    const count = problems.length === 1 ? 'One problem' : `${problems.length} problems`;
    const more = rest > 0 ? [`and ${rest} more; \`truecast ensemble check\` prints them all.`] : [];
    super([`${count} in the manifests:`, ...told, ...more].join('\n  '), { code: 'invalid-manifest' });
    this.problems = problems;
    brand(this, 'ManifestError');
  }

  /**
   * Returns true if `error` is a `ManifestError`, including one from another copy of the package.
   */
  static override isInstance(error: unknown): error is ManifestError {
    return isBranded(error, 'ManifestError');
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/**
 * Formats a problem as one line, `file:line:column: message hint`, which editors and CI parse.
 *
 * @example
 * ```ts
 * describeProblem({ file: 'agents/ada.yaml', line: 3, column: 1, path: ['rol'], message: '`rol` is not a key of an agent.' });
 * // 'agents/ada.yaml:3:1: `rol` is not a key of an agent.'
 * ```
 */
export function describeProblem(problem: ManifestProblem): string {
  const expected = ['problem', 'one of the `problems` of a ManifestError'] as const;
  return readOrRefuse(problem, expected, () => textOf(problem));
}

function textOf({ file, line, column, message, hint }: ManifestProblem): string {
  const text = hint === undefined ? message : `${message} ${hint}`;
  return `${file}:${line}:${column}: ${text}`.replaceAll(/\p{Cc}/gu, ' ');
}
