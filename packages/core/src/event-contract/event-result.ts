/**
 * Parse result of an event agent's answer: the payload, and separately how it was obtained. Pure.
 */
import type { SyntaxRepair } from '../json/repair/read-string.ts';

/** The parser that produced the payload, from best to last resort. */
export type EventTier = 'strict' | 'embedded' | 'repaired' | 'raw';

/**
 * Kind of repair: of the syntax (the tier is then `repaired`), or of text around or inside a
 * well-formed object.
 */
export type EventRepairKind =
  | SyntaxRepair
  | 'coerced-number'
  | 'dropped-value'
  | 'key-spelling'
  | 'kind-spelling'
  | 'missing-braces'
  | 'opened-wrapper'
  | 'parsed-string'
  | 'shortened';

/** One kind of repair. Reported once, however often it was applied. */
export interface EventRepair {
  readonly kind: EventRepairKind;
  /** The field concerned; empty for the whole text. */
  readonly path: readonly (string | number)[];
}

/** Code of a broken rule. */
export type EventViolationCode =
  | 'field-missing'
  | 'kind-missing'
  | 'kind-not-granted'
  | 'no-object'
  | 'reserved-field'
  | 'text-empty'
  | 'text-echo'
  | 'too-deep'
  | 'unknown-field'
  | 'wrong-type';

/** One contract rule that the answer broke, and the value found. */
export interface EventViolation {
  readonly code: EventViolationCode;
  /** Path of the field, separated by dots; empty for the whole answer. */
  readonly field: string;
  /** The received value, truncated to 200 characters. */
  readonly got: string;
}

/** An agent's event: a granted kind, its text, and its extra fields. */
export interface EventPayload<TKind extends string = string> {
  readonly kind: TKind;
  /** Empty only in the tier `raw`, if nothing was usable. */
  readonly text: string;
  /** True if the text is not an answer in the requested form, but the model's plain text. */
  readonly _raw_fallback?: true;
  readonly [field: string]: unknown;
}

/** A payload and how it was obtained. The record is separate, so that no model can forge it. */
export interface ParsedAgentOutput<TKind extends string = string> {
  readonly payload: EventPayload<TKind>;
  readonly tier: EventTier;
  readonly repairs: readonly EventRepair[];
  readonly violations: readonly EventViolation[];
  /** The kind that the model wrote, if the payload has another. */
  readonly requestedKind?: string;
}
