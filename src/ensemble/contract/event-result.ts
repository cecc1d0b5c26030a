/** Owns the shape of a parsed answer of an event agent: the payload, and beside it the record of how it was obtained. Pure. */

/** Which reading gave the payload, from the best to the last resort. */
export type EventTier = 'strict' | 'embedded' | 'repaired' | 'raw';

/** What was mended: the syntax (`repaired` is then the tier), or what stood around or in a well-formed object. */
export type EventRepairKind =
  | 'bare-key'
  | 'comment'
  | 'cut-off'
  | 'escape'
  | 'inner-quotes'
  | 'kind-spelling'
  | 'missing-braces'
  | 'missing-comma'
  | 'opened-wrapper'
  | 'parsed-string'
  | 'python-literal'
  | 'quotes'
  | 'raw-newline'
  | 'trailing-comma';

/** One kind of repair; told once, however often it was made. */
export interface EventRepair {
  readonly kind: EventRepairKind;
  /** Where, when it concerns one field; empty for the text as a whole. */
  readonly path: readonly (string | number)[];
}

/** What an answer broke. */
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

/** One rule of the contract that the answer broke, and what stood there instead. */
export interface EventViolation {
  readonly code: EventViolationCode;
  /** The field, its path parted by dots; empty for the answer as a whole. */
  readonly field: string;
  /** The value that came, shown in at most 200 characters. */
  readonly got: string;
}

/** What an agent emits: a granted kind, what it says, and its extra fields. */
export interface EventPayload<TKind extends string = string> {
  readonly kind: TKind;
  /** Empty only in the tier `raw`, when nothing was usable. */
  readonly text: string;
  /** The text is not an answer in the asked form, but what the model said instead. */
  readonly _raw_fallback?: true;
  readonly [field: string]: unknown;
}

/** A payload, and the record of how it was obtained: beside it, so that no model can forge it. */
export interface ParsedAgentOutput<TKind extends string = string> {
  readonly payload: EventPayload<TKind>;
  readonly tier: EventTier;
  readonly repairs: readonly EventRepair[];
  readonly violations: readonly EventViolation[];
  /** The kind that the model wrote, when the payload has another. */
  readonly requestedKind?: string;
}
