/** Validation: applies a compiled schema to a value. Pure. */
import { addEvaluated, createEvaluated, type ValidationRun } from './validation-run.ts';
import { FRACTION, INTEGER, describeKind, describeKinds, kindOf } from './json-kind.ts';
import type { SchemaNode } from './schema-node.ts';

/** Returns true if `value` is valid. Reports the issues to a run that is not quiet. */
export function applySchema(node: SchemaNode, value: unknown, run: ValidationRun): boolean {
  run.enter();
  const kind = kindOf(value);
  let isValid: boolean;
  if ((node.kinds & kind) === 0) isValid = run.fail(() => schemaMismatch(node.kinds, value), 'kind');
  else if (run.tracksScope && run.scope.at(-1) !== node.resource) {
    isValid = applyScoped(node, value, kind, run);
  } else if (node.tracksEvaluated) isValid = applyTracked(node, value, kind, run);
  else isValid = applyChecks(node, value, kind, run);
  run.leave();
  return isValid;
}

/** Applies a schema to a member of the current value. */
export function applyToMember(
  node: SchemaNode,
  value: unknown,
  key: string | number,
  run: ValidationRun,
): boolean {
  run.path.push(key);
  const isValid = applySchema(node, value, run);
  run.path.pop();
  return isValid;
}

/**
 * Applies a schema whose failure does not make the value invalid. Its evaluations count only on
 * success.
 */
export function applyBranch(node: SchemaNode, value: unknown, run: ValidationRun): boolean {
  const outer = run.evaluated;
  if (outer === undefined) return applySchema(node, value, run);
  const inner = createEvaluated();
  run.evaluated = inner;
  const isValid = applySchema(node, value, run);
  run.evaluated = outer;
  if (isValid) addEvaluated(outer, inner, run);
  return isValid;
}

/** Reports the expected kinds and the received one. */
export function schemaMismatch(kinds: number, value: unknown): string {
  if (kinds === 0) return 'No value is allowed here';
  const isFraction = kindOf(value) === FRACTION;
  return `Expected ${describeKinds(kinds)}, got ${isFraction && (kinds & INTEGER) !== 0 ? String(value) : describeKind(value)}`;
}

function applyScoped(node: SchemaNode, value: unknown, kind: number, run: ValidationRun): boolean {
  run.scope.push(node.resource);
  const isValid = node.tracksEvaluated
    ? applyTracked(node, value, kind, run)
    : applyChecks(node, value, kind, run);
  run.scope.pop();
  return isValid;
}

/**
 * Its `unevaluated…` keywords see evaluations of this schema and its subschemas, not those of
 * siblings.
 */
function applyTracked(node: SchemaNode, value: unknown, kind: number, run: ValidationRun): boolean {
  const outer = run.evaluated;
  const inner = createEvaluated();
  run.evaluated = inner;
  const isValid = applyChecks(node, value, kind, run);
  run.evaluated = outer;
  if (isValid && outer !== undefined) addEvaluated(outer, inner, run);
  return isValid;
}

function applyChecks(node: SchemaNode, value: unknown, kind: number, run: ValidationRun): boolean {
  let isValid = true;
  for (const check of node.checksOf(kind)) {
    if (check(value, run)) continue;
    isValid = false;
    if (run.isQuiet) break;
  }
  return isValid && (node.last.length === 0 || node.last.every((check) => check(value, run)));
}
