/** Whole values of a growing answer, for readers that do not parse its text. */
import { hasDangerousKey } from '@truecast/core/internal/output/json/bounded-json';
import { valueIn } from '@truecast/core/internal/output/judge/envelope';
import { JsonReader } from '@truecast/core/internal/output/scan/json-reader';
import { createPartialBuilder } from '@truecast/core/internal/output/scan/partial-builder';
import type { LiveEvent, PartEvent } from '../../contract/wire/stream-wire.ts';

/**
 * Growth factor of the text after which its value is sent again. All values together are then at
 * most five times the size of the last one.
 */
const GROWTH = 1.25;

/** Builds values from the parts of an answer. */
export class PartialValues {
  #builder = createPartialBuilder();
  #reader = new JsonReader(this.#builder.sink);
  #chars = 0;
  #dueChars = 0;

  /** Reads a part. Returns the value so far if it is due. */
  push({ kind, delta, request_id, offset }: PartEvent): LiveEvent[] {
    if (request_id === undefined || offset === undefined) return [];
    if (offset === 0) this.#begin();
    // After a lost part, the rest cannot be parsed.
    if (offset !== this.#chars) return [];
    this.#chars += delta.length;
    this.#reader.read(delta, 0, delta.length);
    if (this.#chars < this.#dueChars || this.#reader.isDead) return [];
    const { value: read } = this.#builder;
    const value = kind === 'text' ? read : valueIn(read);
    if (value === undefined || hasDangerousKey(value)) return [];
    this.#dueChars = this.#chars * GROWTH;
    return [{ type: 'partial', request_id, value: structuredClone(value), is_validated: false }];
  }

  #begin(): void {
    this.#builder = createPartialBuilder();
    this.#reader = new JsonReader(this.#builder.sink);
    [this.#chars, this.#dueChars] = [0, 0];
  }
}
