/** Combining keywords: `allOf`, `anyOf`, `oneOf`, `not`, `if`. Pure. */
import { applyBranch, applySchema, schemaMismatch } from '../evaluation/apply-schema.ts';
import { ANY, kindOf } from '../evaluation/json-kind.ts';
import type { KeywordSite } from '../evaluation/keyword-site.ts';
import type { SchemaNode } from '../evaluation/schema-node.ts';
import {
  showExpected,
  showValue,
  type ValidationRun,
  type WeighedIssue,
} from '../evaluation/validation-run.ts';

export function compileAllOf(site: KeywordSite): void {
  const nodes = readAlternatives(site, 'allOf');
  site.node.add(ANY, (value, run) => {
    let isValid = true;
    for (const node of nodes) {
      if (applySchema(node, value, run)) continue;
      isValid = false;
      if (run.isQuiet) break;
    }
    return isValid;
  });
}

export function compileAnyOf(site: KeywordSite): void {
  const nodes = readAlternatives(site, 'anyOf');
  site.node.add(ANY, (value, run) => {
    let isValid = false;
    for (const node of nodes) {
      if (!run.quietly(() => applyBranch(node, value, run))) continue;
      isValid = true;
      // The remaining alternatives matter only if an enclosing schema needs their evaluations.
      if (run.evaluated === undefined) break;
    }
    return isValid || failAlternatives(nodes, value, run);
  });
}

export function compileOneOf(site: KeywordSite): void {
  const nodes = readAlternatives(site, 'oneOf');
  site.node.add(ANY, (value, run) => {
    const matching: number[] = [];
    for (const [index, node] of nodes.entries()) {
      if (run.quietly(() => applyBranch(node, value, run))) matching.push(index);
      if (matching.length === 2) break;
    }
    if (matching.length === 1) return true;
    if (matching.length === 0) return failAlternatives(nodes, value, run);
    return run.fail(
      () =>
        `Expected exactly one of the ${nodes.length} alternatives to match, got ${matching.join(' and ')}`,
    );
  });
}

export function compileNot(site: KeywordSite): void {
  const node = site.child('not');
  if (node === undefined) return;
  site.node.addInPlace(node);
  site.node.add(ANY, (value, run) => {
    const { evaluated } = run;
    run.evaluated = undefined;
    const isMatch = run.quietly(() => applySchema(node, value, run));
    run.evaluated = evaluated;
    return (
      !isMatch || run.fail(() => `Expected a value that \`not\` does not match, got ${showValue(value)}`)
    );
  });
}

/** Compiles `if`, `then` and `else`. */
export function compileIf(site: KeywordSite): void {
  const condition = site.child('if');
  const whenTrue = site.child('then');
  const whenFalse = site.child('else');
  if (condition === undefined) return;
  for (const node of [condition, whenTrue, whenFalse]) if (node !== undefined) site.node.addInPlace(node);
  site.node.add(ANY, (value, run) => {
    const next = run.quietly(() => applyBranch(condition, value, run)) ? whenTrue : whenFalse;
    return next === undefined || applySchema(next, value, run);
  });
}

function readAlternatives(site: KeywordSite, keyword: string): readonly SchemaNode[] {
  const nodes = site.children(keyword) ?? [];
  if (nodes.length === 0) throw site.invalid(keyword, 'an array of at least one schema');
  site.node.addInPlace(...nodes);
  return nodes;
}

/**
 * Reports why no alternative passes, with the issues of the intended one if it can be identified.
 *
 * The intended one is the only alternative with the right kind and the right constants, such as a
 * discriminator.
 */
function failAlternatives(nodes: readonly SchemaNode[], value: unknown, run: ValidationRun): false {
  if (run.isQuiet) return false;
  const kind = kindOf(value);
  const kinds = nodes.reduce((all, node) => all | node.kinds, 0);
  if ((kinds & kind) === 0) return run.fail(() => schemaMismatch(kinds, value), 'kind');
  const depth = run.path.length;
  const meant: (readonly WeighedIssue[])[] = [];
  const others: WeighedIssue[] = [];
  for (const node of nodes) {
    if ((node.kinds & kind) === 0) continue;
    const issues = run.collect(() => applyBranch(node, value, run));
    const other = issues.find((issue) => tellsOfAnother(issue, depth));
    if (other === undefined) meant.push(issues);
    else others.push(other);
  }
  const [issues] = meant;
  if (issues !== undefined && meant.length === 1) return run.report(issues);
  const discriminator = meant.length === 0 ? joinConstants(others) : undefined;
  if (discriminator !== undefined) return run.report([discriminator]);
  return run.fail(
    () => `Expected a value that matches one of the ${nodes.length} alternatives, got ${showValue(value)}`,
  );
}

/**
 * If every alternative expects another constant in the same property, that property is reported.
 */
function joinConstants(issues: readonly WeighedIssue[]): WeighedIssue | undefined {
  const [first] = issues;
  if (first === undefined) return undefined;
  const isShared = issues.every(
    ({ expected, path }) =>
      expected !== undefined && path.length === first.path.length && path.at(-1) === first.path.at(-1),
  );
  if (!isShared) return undefined;
  const expected = [...new Set(issues.flatMap((issue) => issue.expected ?? []))];
  return {
    ...first,
    expected,
    message: `Expected ${showExpected(expected)}, got ${first.got ?? 'another value'}`,
  };
}

function tellsOfAnother({ weight, path }: WeighedIssue, depth: number): boolean {
  return weight === 'kind' ? path.length === depth : weight === 'constant' && path.length <= depth + 1;
}
