/** Event judge: one object against the contract, or the best of several, with at most one level of wrapper. Pure. */
import { cut } from '../kit/describe-value.ts';
import type { EventField } from './event-field.ts';
import type { EventRepair, EventRepairKind, EventViolation, EventViolationCode } from './event-result.ts';
import { fitValue, type ReportFault, showGot } from './fit-value.ts';
import { isWellKnownField } from './event-options.ts';
import { parseWhole } from './whole-text.ts';

export interface EventRules {
  readonly fields: readonly EventField[];
  readonly allowedKinds: readonly string[];
  readonly fallbackKind: string;
  /** True if undeclared fields are kept unchanged. */
  readonly isOpen: boolean;
}

export interface JudgedObject {
  readonly payload: Readonly<Record<string, unknown>>;
  /** True if its text is not empty. */
  readonly isUsable: boolean;
  /** Weights: granted kind, then text, then the number of declared fields. */
  readonly score: number;
  readonly repairs: readonly EventRepair[];
  readonly violations: readonly EventViolation[];
  readonly requestedKind: string | undefined;
}

/** Maximum length of a kind for the comparison without case and spaces, in UTF-16 units. */
const MAX_KIND_CHARS = 200;
/** Maximum length of a field name in a violation. */
const MAX_NAME_CHARS = 60;
const RESERVED_PREFIX = '_';
const SCORE = { granted: 1_000, text: 100, maxFields: 99 } as const;

/** The score of an object with a granted kind and a text. */
const ENOUGH: number = SCORE.granted + SCORE.text;

/** Evaluates an object. `syntax` lists the repairs of the syntax. */
function judgeObject(
  object: Readonly<Record<string, unknown>>,
  rules: EventRules,
  syntax: readonly EventRepairKind[] = [],
): JudgedObject {
  const violations: EventViolation[] = [];
  const report: ReportFault = (code, path, got) => {
    const field = path.map((name) => cut(name, MAX_NAME_CHARS)).join('.');
    violations.push({ code, field, got: showGot(got) });
  };
  const { given, respelt } = readKeys(object, rules.fields);
  const kind = readKind(given.get('kind'), rules);
  if (kind.fault !== undefined) report(kind.fault, ['kind'], given.get('kind'));
  const payload: Record<string, unknown> = { kind: kind.value };
  const fieldRepairs: EventRepair[] = [];
  let declared = 0;
  for (const field of rules.fields.slice(1)) {
    const fitted = fitValue(given.get(field.name), [field.name], report);
    const { value, faults, repairs = [] } = field.read(fitted);
    for (const { code, path, got } of faults) report(code, [field.name, ...path], got);
    for (const repair of repairs) {
      fieldRepairs.push({ kind: repair.kind, path: [field.name, ...repair.path] });
    }
    if (value !== undefined) payload[field.name] = value;
    if (value !== undefined && given.has(field.name)) declared += 1;
  }
  passOthers(given, rules, payload, report);
  const isUsable = 'text' in payload;
  return {
    payload,
    isUsable,
    score:
      (kind.isGranted ? SCORE.granted : 0) +
      (isUsable ? SCORE.text : 0) +
      Math.min(declared, SCORE.maxFields),
    repairs: [
      ...syntax.map((repair) => ({ kind: repair, path: [] })),
      ...respelt.map((name) => ({ kind: 'key-spelling', path: [name] }) as const),
      ...(kind.isRespelt ? [{ kind: 'kind-spelling', path: ['kind'] } as const] : []),
      ...fieldRepairs,
    ],
    violations,
    requestedKind: kind.requested,
  };
}

/**
 * A key that differs from a declared one only in its case is that key, unless both are given. `respelt` are
 * the declared names of such keys.
 */
function readKeys(
  object: Readonly<Record<string, unknown>>,
  fields: readonly EventField[],
): { readonly given: ReadonlyMap<string, unknown>; readonly respelt: readonly string[] } {
  const given = new Map(Object.entries(object));
  const respelt: string[] = [];
  for (const { name } of fields) {
    if (given.has(name)) continue;
    // Its length is cheap to compare, and an object can have very many keys.
    const key = onlyAlike(
      name,
      [...given.keys()].filter((each) => each.length === name.length),
    );
    if (key === undefined) continue;
    given.set(name, given.get(key));
    given.delete(key);
    respelt.push(name);
  }
  return { given, respelt };
}

interface KindReading {
  readonly value: string;
  readonly isGranted: boolean;
  readonly isRespelt: boolean;
  readonly requested: string | undefined;
  readonly fault: EventViolationCode | undefined;
}

function readKind(kind: unknown, { allowedKinds, fallbackKind }: EventRules): KindReading {
  const base = { value: fallbackKind, isGranted: false, isRespelt: false, requested: undefined };
  if (kind === undefined) return { ...base, fault: 'kind-missing' };
  if (typeof kind !== 'string') return { ...base, fault: 'kind-not-granted' };
  const granted = { isGranted: true, fault: undefined };
  if (allowedKinds.includes(kind)) return { ...base, ...granted, value: kind };
  const requested = cut(kind, MAX_KIND_CHARS);
  const alike = kind.length > MAX_KIND_CHARS ? undefined : onlyAlike(kind, allowedKinds);
  if (alike === undefined) return { ...base, requested, fault: 'kind-not-granted' };
  return { ...granted, value: alike, isRespelt: true, requested };
}

/** Returns the one name that differs in case and spaces only. */
function onlyAlike(name: string, names: readonly string[]): string | undefined {
  const fold = (each: string): string => each.replaceAll(/\s/gu, '').toLowerCase();
  const folded = fold(name);
  const alike = names.filter((each) => fold(each) === folded);
  return alike.length === 1 ? alike[0] : undefined;
}

/** Keeps or reports fields that the contract does not declare. */
function passOthers(
  given: ReadonlyMap<string, unknown>,
  { fields, isOpen }: EventRules,
  payload: Record<string, unknown>,
  report: ReportFault,
): void {
  const declared = new Set(fields.map(({ name }) => name));
  for (const [name, value] of given) {
    if (declared.has(name)) continue;
    if (name.startsWith(RESERVED_PREFIX)) report('reserved-field', [name], value);
    else if (!isOpen) report('unknown-field', [name], value);
    else {
      const fitted = fitValue(value, [name], report);
      if (fitted !== undefined) payload[name] = fitted;
    }
  }
}

/** An object that can be an event, and the repairs that its parsing needed. */
export interface EventCandidate {
  readonly value: Readonly<Record<string, unknown>>;
  readonly repairs: readonly EventRepairKind[];
}

/** Evaluates an object, and its contents if one of them is better. The object wins ties. */
export function judgeFound({ value, repairs }: EventCandidate, rules: EventRules): JudgedObject {
  const outer = judgeObject(value, rules, repairs);
  if (outer.isUsable && outer.score >= ENOUGH) return outer;
  const inner = bestOf(
    openWrapper(value, repairs).map((found) => judgeObject(found.value, rules, found.repairs)),
  );
  return inner !== undefined && inner.isUsable && inner.score > outer.score ? inner : outer;
}

/** Returns the best event, and the last of equals: models draft, then correct themselves. */
export function bestOf(judged: readonly JudgedObject[]): JudgedObject | undefined {
  let best: JudgedObject | undefined;
  for (const each of judged) if (best === undefined || isBetterOrEqual(each, best)) best = each;
  return best;
}

function isBetterOrEqual(one: JudgedObject, other: JudgedObject): boolean {
  return one.isUsable === other.isUsable ? one.score >= other.score : one.isUsable;
}

/** Direct child objects: as a value, in an array, or as JSON in a string. */
function openWrapper(value: EventCandidate['value'], repairs: readonly EventRepairKind[]): EventCandidate[] {
  return Object.entries(value)
    .filter(([key]) => !isWellKnownField(key))
    .flatMap(([, inner]): unknown[] => (Array.isArray(inner) ? inner : [inner]))
    .flatMap((inner): EventCandidate[] => {
      const parsed =
        typeof inner === 'string' && inner.trimStart().startsWith('{') ? parseWhole(inner) : inner;
      if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return [];
      const opened: EventRepairKind[] = ['opened-wrapper'];
      if (parsed !== inner) opened.push('parsed-string');
      return [{ value: { ...parsed }, repairs: [...repairs, ...opened] }];
    });
}
