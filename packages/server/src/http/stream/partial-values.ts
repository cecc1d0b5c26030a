/** Whole values of a growing answer, for readers that do not parse its text. */
import { previewJson } from '@truecast/core/internal/output/json/preview-json';
import { valueIn } from '@truecast/core/internal/output/judge/envelope';
import type { LiveEvent, PartEvent } from '../../contract/wire/stream-wire.ts';

/**
 * Growth factor of the text after which its value is sent again. All values together are then at
 * most five times the size of the last one.
 */
const GROWTH = 1.25;

/** Builds values from the parts of an answer. */
export class PartialValues {
  #text = '';
  #dueChars = 0;

  /** Reads a part. Returns the value so far if it is due. */
  push({ kind, delta, request_id, offset }: PartEvent): LiveEvent[] {
    if (request_id === undefined || offset === undefined) return [];
    if (offset === 0) [this.#text, this.#dueChars] = ['', 0];
    // After a lost part, the rest cannot be parsed.
    if (offset !== this.#text.length) return [];
    this.#text += delta;
    if (this.#text.length < this.#dueChars) return [];
    const read = previewJson(this.#text);
    const value = kind === 'text' ? read : valueIn(read);
    if (value === undefined) return [];
    this.#dueChars = this.#text.length * GROWTH;
    return [{ type: 'partial', request_id, value, is_validated: false }];
  }
}
