/** Field of an event: its prompt text, JSON Schema, stub value and reader. Pure. */
import type { JsonSchema } from '../schema/engine/read-schema.ts';
import type { JsonValue } from '../kit/json-value.ts';
import type { EventRepairKind, EventViolationCode } from './event-result.ts';

/** One field of an event, in every representation. */
export interface EventField {
  readonly name: string;
  /** Its placeholder in the prompt's schema line. */
  readonly hint: JsonValue;
  /** Its description in the prompt. */
  readonly rule?: string;
  /** Its value in the prompt's example. */
  readonly example: JsonValue;
  readonly jsonSchema: JsonSchema;
  /** Default value. A field without one is required. */
  readonly fallback?: () => JsonValue;
  /** The offline stub's answer, selected by a number. */
  readonly stub: (choice: number) => JsonValue;
  /** Validates a value. Returns the kept value (`undefined` for nothing) and its problems. */
  readonly read: (value: unknown) => FieldReading;
}

/** The kept value of a field, its repairs and its problems. */
export interface FieldReading {
  readonly value: unknown;
  readonly faults: readonly FieldFault[];
  /** @default [] */
  readonly repairs?: readonly FieldRepair[];
}

/** One problem of a field's value. */
export interface FieldFault {
  readonly code: EventViolationCode;
  /** Path below the field. */
  readonly path: readonly string[];
  /** The expectation, as the end of the sentence `Expected …`. */
  readonly expected: string;
  readonly got: unknown;
}

/** One change that made a value fit. */
export interface FieldRepair {
  readonly kind: EventRepairKind;
  /** Path below the field. */
  readonly path: readonly string[];
  /** The broken rule. The parser repairs the value, the schema's validator rejects it. */
  readonly expected?: string;
}

export function accept(value: unknown): FieldReading {
  return { value, faults: [] };
}

/** Returns the reading of an invalid value, of which `kept` remains. */
export function reject(
  code: EventViolationCode,
  expected: string,
  got: unknown,
  kept?: unknown,
): FieldReading {
  return { value: kept, faults: [{ code, path: [], expected, got }] };
}

/** Returns the entry that a number selects. */
export function pick(from: readonly string[], choice: number): string {
  return from[choice % from.length] ?? '';
}
