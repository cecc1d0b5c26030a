/** Object keywords. Only own properties count, whatever their names. Pure. */
import type { Pattern } from '../../pattern/pattern.ts';
import { applySchema, applyToMember } from '../evaluation/apply-schema.ts';
import { OBJECT } from '../evaluation/json-kind.ts';
import type { KeywordSite } from '../evaluation/keyword-site.ts';
import type { SchemaNode } from '../evaluation/schema-node.ts';
import { showValue, type ValidationRun } from '../evaluation/validation-run.ts';
import { describeRange } from './string-keywords.ts';

interface Members {
  readonly named: ReadonlyMap<string, SchemaNode>;
  readonly patterns: readonly { readonly pattern: Pattern; readonly node: SchemaNode }[];
  readonly additional: SchemaNode | undefined;
}

/**
 * Compiles `properties`, `patternProperties` and `additionalProperties`, which depend on each
 * other.
 */
export function compileMembers(site: KeywordSite): void {
  const members: Members = {
    named: new Map(site.named('properties')),
    patterns: (site.named('patternProperties') ?? []).map(([source, node]) => ({
      pattern: site.compilation.pattern(source, site, site.at('patternProperties', source)),
      node,
    })),
    additional: site.child('additionalProperties'),
  };
  site.node.add(OBJECT, (value, run) => {
    // Only called with objects.
    const object = value as Readonly<Record<string, unknown>>;
    const { evaluated } = run;
    run.evaluated = undefined;
    let isValid = true;
    for (const key of keysOf(object, run)) {
      const member = object[key];
      // JSON has no `undefined`: such a property would not be serialized.
      if (member === undefined) continue;
      const isKnown = applyMember(members, key, member, run);
      if (isKnown !== undefined && evaluated !== undefined) {
        run.spend(2);
        evaluated.properties.add(key);
      }
      if (isKnown !== false) continue;
      isValid = false;
      if (run.isQuiet) break;
    }
    run.evaluated = evaluated;
    return isValid;
  });
}

export function compileRequired(site: KeywordSite): void {
  const names = site.names('required') ?? [];
  // Only called with objects.
  if (names.length > 0) site.node.add(OBJECT, (value, run) => hasAll(value as object, names, run, () => ''));
}

/** Compiles `minProperties` and `maxProperties`. */
export function compilePropertyCounts(site: KeywordSite): void {
  const min = site.count('minProperties') ?? 0;
  const max = site.count('maxProperties') ?? Number.POSITIVE_INFINITY;
  site.node.add(OBJECT, (value, run) => {
    // Only called with objects.
    const count = keysOf(value as object, run).length;
    return (
      (count >= min && count <= max) ||
      run.fail(
        () =>
          `Expected ${describeRange(min, max, 'property').replace('propertys', 'properties')}, got ${count}`,
      )
    );
  });
}

export function compilePropertyNames(site: KeywordSite): void {
  const node = site.child('propertyNames');
  if (node === undefined) return;
  site.node.add(OBJECT, (value, run) => {
    const { evaluated } = run;
    run.evaluated = undefined;
    let isValid = true;
    // Only called with objects.
    for (const key of keysOf(value as object, run)) {
      if (run.quietly(() => applySchema(node, key, run))) continue;
      isValid = run.fail(() => `The property name ${showValue(key)} is not allowed`);
      if (run.isQuiet) break;
    }
    run.evaluated = evaluated;
    return isValid;
  });
}

/**
 * Compiles `dependentRequired`, `dependentSchemas` and the older `dependencies`, which combines
 * both.
 */
export function compileDependencies(site: KeywordSite): void {
  for (const keyword of ['dependentRequired', 'dependentSchemas', 'dependencies']) {
    for (const [name, dependency] of site.entries(keyword) ?? []) {
      const isSchema =
        keyword === 'dependentSchemas' || (keyword === 'dependencies' && !Array.isArray(dependency));
      if (isSchema) {
        addDependentSchema(site, name, site.compilation.compile(dependency, site.at(keyword, name), site));
      } else addDependentNames(site, keyword, name, dependency);
    }
  }
}

export function compileUnevaluatedProperties(site: KeywordSite): void {
  const node = site.child('unevaluatedProperties');
  if (node === undefined) return;
  site.node.tracksEvaluated = true;
  site.node.addLast((value, run) => {
    const { evaluated } = run;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return true;
    if (evaluated === undefined || evaluated.hasAllProperties) return true;
    run.evaluated = undefined;
    let isValid = true;
    for (const key of keysOf(value, run)) {
      if (evaluated.properties.has(key) || applyAdditional(node, key, Reflect.get(value, key), run)) continue;
      isValid = false;
      if (run.isQuiet) break;
    }
    evaluated.hasAllProperties = true;
    run.evaluated = evaluated;
    return isValid;
  });
}

function addDependentSchema(site: KeywordSite, name: string, node: SchemaNode): void {
  site.node.addInPlace(node);
  // Only called with objects.
  site.node.add(OBJECT, (value, run) => !isPresent(value as object, name) || applySchema(node, value, run));
}

function addDependentNames(site: KeywordSite, keyword: string, name: string, dependency: unknown): void {
  if (!Array.isArray(dependency) || !dependency.every((other) => typeof other === 'string')) {
    throw site.refuse(
      'invalid',
      `Expected \`${keyword}\` to hold arrays of strings. Correct the schema.`,
      site.at(keyword, name),
    );
  }
  const names: readonly string[] = dependency;
  site.node.add(
    OBJECT,
    // Only called with objects.
    (value, run) =>
      !isPresent(value as object, name) ||
      hasAll(value as object, names, run, () => `, which \`${name}\` requires`),
  );
}

/** Applies every schema for this property. `undefined` without one. */
function applyMember(
  { named, patterns, additional }: Members,
  key: string,
  member: unknown,
  run: ValidationRun,
): boolean | undefined {
  const node = named.get(key);
  let isValid: boolean | undefined;
  if (node !== undefined) isValid = node.takesAll() || applyToMember(node, member, key, run);
  for (const { pattern, node: patternNode } of patterns) {
    if (!pattern.matches(key, run)) continue;
    isValid = applyToMember(patternNode, member, key, run) && isValid !== false;
  }
  if (isValid !== undefined || additional === undefined) return isValid;
  return applyAdditional(additional, key, member, run);
}

/** An unexpected property is reported by name at its object. */
function applyAdditional(node: SchemaNode, key: string, member: unknown, run: ValidationRun): boolean {
  if (node.kinds === 0) return run.fail(() => `Unexpected property \`${key.slice(0, 80)}\``);
  return node.takesAll() || applyToMember(node, member, key, run);
}

function hasAll(object: object, names: readonly string[], run: ValidationRun, why: () => string): boolean {
  run.spend(names.length);
  let isValid = true;
  for (const name of names) {
    if (isPresent(object, name)) continue;
    isValid = run.fail(() => `Missing required property \`${name}\`${why()}`);
    if (run.isQuiet) break;
  }
  return isValid;
}

function isPresent(object: object, name: string): boolean {
  // Read first: most properties exist, and an inherited one is detected next.
  return (object as Readonly<Record<string, unknown>>)[name] !== undefined && Object.hasOwn(object, name);
}

function keysOf(object: object, run: ValidationRun): readonly string[] {
  const keys = Object.keys(object);
  run.spend(3 * keys.length);
  return keys;
}
