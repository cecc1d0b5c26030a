/** State of one validation: the remaining work, the position in the value, and the issues. Pure. */
import type { Issue } from '../../../kit/issue.ts';
import { SchemaError } from '../../../errors/schema-error.ts';
import type { WorkMeter } from '../../work/work-budget.ts';
import type { SchemaResource } from './schema-node.ts';
import { describeKind } from './json-kind.ts';

/** Maximum kept issues. A value with more is not read to its end. */
const MAX_ISSUES = 100;

/** Meaning of an issue for its alternative: another kind, another constant, or plain failure. */
type IssueWeight = 'kind' | 'constant' | 'other';

/** An issue while alternatives are being compared. */
export interface WeighedIssue extends Issue {
  readonly weight: IssueWeight;
  /** Expected constants, and the rendered value. */
  readonly expected?: readonly unknown[];
  readonly got?: string;
}

interface ValidationRunOptions {
  readonly maxWork: number;
  readonly maxDepth: number;
  /** A quiet run only computes validity, and stops at the first failure. */
  readonly isQuiet: boolean;
  readonly tracksScope: boolean;
}

export class ValidationRun implements WorkMeter {
  isQuiet: boolean;
  issues: WeighedIssue[] = [];
  /** Current position in the value. */
  readonly path: (string | number)[] = [];
  /** Evaluations of the current schema. Present only while an enclosing schema needs them. */
  evaluated: Evaluated | undefined;
  /** Stack of entered schema resources, for dynamic references. */
  readonly scope: SchemaResource[] = [];
  readonly tracksScope: boolean;
  #workLeft: number;
  #depthLeft: number;
  readonly #maxWork: number;
  readonly #maxDepth: number;

  constructor({ maxWork, maxDepth, isQuiet, tracksScope }: ValidationRunOptions) {
    this.#workLeft = maxWork;
    this.#depthLeft = maxDepth;
    this.#maxWork = maxWork;
    this.#maxDepth = maxDepth;
    this.isQuiet = isQuiet;
    this.tracksScope = tracksScope;
  }

  /** Spent units of work. */
  get spent(): number {
    return this.#maxWork - this.#workLeft;
  }

  /** @throws SchemaError `too-much-work` */
  spend(units: number): void {
    this.#workLeft -= units;
    if (this.#workLeft >= 0) return;
    throw new SchemaError(
      `The validation needs more work than its limit of ${this.#maxWork} units. Send a smaller value or a simpler schema, or raise \`maxWork\`.`,
      {
        code: 'too-much-work',
        path: [...this.path],
      },
    );
  }

  /** Enters a nested schema. @throws SchemaError `too-deep` */
  enter(): void {
    this.spend(2);
    this.#depthLeft -= 1;
    if (this.#depthLeft >= 0) return;
    throw new SchemaError(
      `The validation applies more than ${this.#maxDepth} nested schemas. Send a value with less nesting, or raise \`maxDepth\`.`,
      {
        code: 'too-deep',
        path: [...this.path],
      },
    );
  }

  leave(): void {
    this.#depthLeft += 1;
  }

  /**
   * Reports an issue at the current position, unless the run is quiet. Always returns `false`, so
   * that a check can end with it.
   */
  fail(message: () => string, weight: IssueWeight = 'other'): false {
    if (!this.isQuiet) {
      this.issues.push({ path: [...this.path], message: message(), weight });
      if (this.issues.length >= MAX_ISSUES) this.isQuiet = true;
    }
    return false;
  }

  /** Reports that the value equals no expected constant. */
  failConstant(expected: readonly unknown[], value: unknown): false {
    if (this.isQuiet) return false;
    const got = showValue(value);
    const message = `Expected ${showExpected(expected)}, got ${got}`;
    return this.report([{ path: [...this.path], message, weight: 'constant', expected, got }]);
  }

  /** Runs a check without reporting. */
  quietly(check: () => boolean): boolean {
    const wasQuiet = this.isQuiet;
    this.isQuiet = true;
    const isValid = check();
    this.isQuiet = wasQuiet;
    return isValid;
  }

  /** Runs a check and returns its issues instead of reporting them. */
  collect(check: () => boolean): readonly WeighedIssue[] {
    const { issues, isQuiet } = this;
    this.issues = [];
    this.isQuiet = false;
    check();
    const collected = this.issues;
    this.issues = issues;
    this.isQuiet = isQuiet;
    return collected;
  }

  report(issues: readonly WeighedIssue[]): false {
    for (const issue of issues) {
      if (this.isQuiet) return false;
      this.issues.push(issue);
      if (this.issues.length >= MAX_ISSUES) this.isQuiet = true;
    }
    return false;
  }
}

/** Properties and items evaluated by a keyword. */
interface Evaluated {
  hasAllProperties: boolean;
  readonly properties: Set<string>;
  hasAllItems: boolean;
  /** Number of evaluated leading items. */
  itemCount: number;
  /** Other evaluated items, by index. */
  readonly items: Set<number>;
}

export function createEvaluated(): Evaluated {
  return {
    hasAllProperties: false,
    properties: new Set(),
    hasAllItems: false,
    itemCount: 0,
    items: new Set(),
  };
}

/** Adds a subschema's evaluations to those of the parent. */
export function addEvaluated(into: Evaluated, from: Evaluated, meter: WorkMeter): void {
  meter.spend(2 * (from.properties.size + from.items.size));
  into.hasAllProperties ||= from.hasAllProperties;
  into.hasAllItems ||= from.hasAllItems;
  into.itemCount = Math.max(into.itemCount, from.itemCount);
  for (const name of from.properties) into.properties.add(name);
  for (const index of from.items) into.items.add(index);
}

/** Maximum shown length of a string in UTF-16 units. */
const MAX_STRING_CHARS = 60;
/** Maximum shown length of a list. */
const MAX_LISTED = 20;

/** Renders a scalar as truncated JSON, and larger values by their kind. */
export function showValue(value: unknown): string {
  if (typeof value === 'string') {
    return JSON.stringify(value.length > MAX_STRING_CHARS ? `${value.slice(0, MAX_STRING_CHARS)}…` : value);
  }
  return typeof value === 'object' && value !== null ? describeKind(value) : String(value);
}

/**
 * Renders the expectation: one value, or one of a list. Schema values are small, so objects are
 * shown too.
 */
export function showExpected(values: readonly unknown[]): string {
  const shown = values.slice(0, MAX_LISTED).map((value) => {
    if (typeof value !== 'object' || value === null) return showValue(value);
    const text = JSON.stringify(value);
    return text.length > MAX_STRING_CHARS ? `${text.slice(0, MAX_STRING_CHARS)}…` : text;
  });
  if (values.length > MAX_LISTED) shown.push(`… (${values.length} in all)`);
  return shown.length === 1 ? (shown[0] ?? '') : `one of ${shown.join(', ')}`;
}
