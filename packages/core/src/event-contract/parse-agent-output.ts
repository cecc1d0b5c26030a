/**
 * `parseAgentOutput()`: converts any model output to an event of a granted kind, and reports how.
 * Pure.
 */
import { unwrapFence } from '../output/scan/json-reader.ts';
import { finalChannel, withoutEndTokens } from '../output/candidates/control-tokens.ts';
import { findJsonObjects } from '../output/candidates/find-json-objects.ts';
import { eventFields, assertContract, assertFallbackKind } from './event-options.ts';
import type { EventPayload, EventRepairKind, EventTier, ParsedAgentOutput } from './event-result.ts';
import { bestOf, judgeFound } from './judge-object.ts';
import type { EventRules, JudgedObject } from './judge-object.ts';
import { showGot } from './fit-value.ts';
import {
  looksLikeJson,
  parseWhole,
  withBraces,
  withoutStringAround,
  withoutTrailingFence,
} from './whole-text.ts';

/** Options of `parseAgentOutput`. */
export interface ParseAgentOutputOptions<TKind extends string = string> {
  /** The kinds that the agent can emit; at least one. */
  readonly allowedKinds: readonly TKind[];
  /** The kind for answers whose own is missing or not granted; one of `allowedKinds`. */
  readonly fallbackKind: NoInfer<TKind>;
  /** Extra fields. If set, only these are kept. @default all fields are kept unchanged */
  readonly extraFields?: readonly string[];
  /**
   * Maximum length of `text` and of each declared string, in characters. A longer one is shortened.
   * @default 1000
   */
  readonly maxTextChars?: number;
}

/**
 * Parses an event from any model output.
 *
 * Tries the whole text as JSON (`strict`), then the best object in it (`embedded`, or `repaired`
 * with labelled repairs), then the text as speech of the fallback kind (`raw`, with `_raw_fallback:
 * true`). JSON is never returned as speech: if nothing is usable, `text` is empty. `payload.kind`
 * is always one of `allowedKinds`; changes are reported beside the payload. Never throws on any
 * text. Linear in its length.
 *
 * @throws UsageError `invalid-option` for an empty grant, a fallback outside of it, or a reserved
 *   extra field
 * @example
 * ```ts
 * const { payload, tier } = parseAgentOutput(text, { allowedKinds: ['agent.spoke'], fallbackKind: 'agent.spoke' });
 * ```
 */
export function parseAgentOutput<const TKind extends string>(
  raw: string,
  options: ParseAgentOutputOptions<TKind>,
): ParsedAgentOutput<TKind> {
  assertContract(options);
  const { fallbackKind, ...contract } = options;
  const { allowedKinds, extraFields } = contract;
  assertFallbackKind(fallbackKind, allowedKinds);
  const fields = eventFields(contract);
  const rules = { fields, allowedKinds, fallbackKind, isOpen: extraFields === undefined };
  const text = typeof raw === 'string' ? raw.trim() : '';
  return toResult<TKind>(readStrictly(text, rules) ?? readLeniently(text, rules));
}

/** The only field whose truncated value is useful. A part of any other value is a different value. */
const KEPT_WHEN_CUT = 'text';

interface Reading {
  readonly tier: EventTier;
  readonly judged: JudgedObject;
}

function toResult<TKind extends string>({ tier, judged }: Reading): ParsedAgentOutput<TKind> {
  const { payload, repairs, violations, requestedKind } = judged;
  // Its kind is the fallback, or was found in the grant.
  const result = { payload: payload as EventPayload<TKind>, tier, repairs, violations };
  return requestedKind === undefined ? result : { ...result, requestedKind };
}

function readStrictly(text: string, rules: EventRules): Reading | undefined {
  const value = parseWhole(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const judged = judgeFound({ value: { ...value }, repairs: [] }, rules);
  if (!judged.isUsable) return undefined;
  return {
    tier: judged.repairs.some(({ kind }) => kind === 'opened-wrapper') ? tierOf(judged) : 'strict',
    judged,
  };
}

function readLeniently(text: string, rules: EventRules): Reading {
  const said = finalChannel(text) ?? withoutEndTokens(text);
  const { objects, unreadableAt, speech } = findJsonObjects(withoutTrailingFence(said), KEPT_WHEN_CUT);
  // Text before an unreadable object is a draft or an example.
  const final = objects.filter(({ start }) => start >= unreadableAt);
  const best = bestOf(final.map((object) => judgeFound(object, rules)));
  if (best?.isUsable === true) return { tier: tierOf(best), judged: best };
  const words = unwrapFence(speech);
  return readMended(words, rules) ?? wrapRaw(words, rules, best);
}

function readMended(text: string, rules: EventRules): Reading | undefined {
  const mended: readonly (readonly [EventRepairKind, string | undefined])[] = [
    ['parsed-string', withoutStringAround(text)],
    ['missing-braces', withBraces(text)],
  ];
  for (const [repair, inner] of mended) {
    const objects = inner === undefined ? [] : findJsonObjects(inner, KEPT_WHEN_CUT).objects;
    const best = bestOf(
      objects.map(({ value, repairs }) => judgeFound({ value, repairs: [...repairs, repair] }, rules)),
    );
    if (best?.isUsable === true) return { tier: 'repaired', judged: best };
  }
  return undefined;
}

/**
 * The model's text as speech of the fallback kind. For an object without text only the violations
 * are reported.
 */
function wrapRaw(
  words: string,
  { fields, fallbackKind }: EventRules,
  best: JudgedObject | undefined,
): Reading {
  const spoken = withoutStringAround(words) ?? words;
  const names = fields.map(({ name }) => name);
  const isJson = looksLikeJson(spoken, names) || parseWhole(spoken) !== undefined;
  const reading = isJson ? undefined : fields.find(({ name }) => name === 'text')?.read(spoken);
  const text = reading === undefined || reading.faults.length > 0 ? '' : reading.value;
  const payload = { kind: fallbackKind, text, _raw_fallback: true };
  const violations = best?.violations ?? [{ code: 'no-object', field: '', got: showGot(words) } as const];
  const judged = {
    payload,
    isUsable: false,
    score: 0,
    repairs: (reading?.repairs ?? []).map(({ kind }) => ({ kind, path: ['text'] })),
    violations,
    requestedKind: best?.requestedKind,
  };
  return { tier: 'raw', judged };
}

/** Repairs that do not change the syntax of the JSON. */
const AROUND_JSON: ReadonlySet<EventRepairKind> = new Set([
  'coerced-number',
  'dropped-value',
  'key-spelling',
  'kind-spelling',
  'opened-wrapper',
  'shortened',
]);

function tierOf({ repairs }: JudgedObject): EventTier {
  return repairs.every(({ kind }) => AROUND_JSON.has(kind)) ? 'embedded' : 'repaired';
}
