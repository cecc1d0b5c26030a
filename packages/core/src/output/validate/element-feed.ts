/**
 * Element feed: passes on each element of a growing array as soon as it is complete and valid. Pure.
 *
 * Across drafts, elements that were given once are compared, not given again. A feed that ended without
 * an error has given exactly the elements of the accepted answer.
 */
import type { Channel } from '../../kit/channel.ts';
import { isSameJson } from '../../schema/engine/evaluation/deep-equal.ts';
import { findSuspect } from '../../json/text/find-inexact.ts';
import type { JsonValue } from '../../kit/json-value.ts';
import { restartedError } from '../definition/answer-errors.ts';
import type { OutputArrayDefinition } from '../definition/definition.ts';
import { hasDangerousKey } from '../../json/bounded-json.ts';
import {
  validateElement,
  type KnownElement,
  type KnownElements,
  type NegativeVerdict,
} from '../judge/validate-value.ts';
import { copyJson } from '../../json/scan/partial-builder.ts';

/** A given element: as it was written, and as the schema returned it. */
interface Given extends KnownElement {
  readonly written: unknown;
}

export class ElementFeed implements KnownElements {
  readonly #definition: OutputArrayDefinition<unknown>;
  readonly #channel: Pick<Channel<unknown>, 'put' | 'end' | 'fail'>;
  readonly #given: Given[] = [];
  /** Index of the next element of this draft. */
  #next = 0;
  /** `held`: the rest of this draft is left to the judge of the whole answer. */
  #state: 'open' | 'held' | 'over' = 'open';

  constructor(
    definition: OutputArrayDefinition<unknown>,
    channel: Pick<Channel<unknown>, 'put' | 'end' | 'fail'>,
  ) {
    this.#definition = definition;
    this.#channel = channel;
  }

  /** Begins a draft. */
  begin(): void {
    this.#next = 0;
    if (this.#state === 'held') this.#state = 'open';
  }

  /**
   * Takes the growing array of this draft. Its last element can still grow. Returns nothing if no further
   * element is complete, else resolves to the verdict on the first invalid one.
   *
   * @param restore - converts an element to the definition's form. Undefined if that fails
   */
  take(
    growing: readonly unknown[],
    restore: (item: unknown) => unknown,
  ): Promise<NegativeVerdict | undefined> | undefined {
    if (this.#state !== 'open' || this.#next >= growing.length - 1) return undefined;
    return this.#takeSealed(growing, growing.length - 1, restore);
  }

  async #takeSealed(
    growing: readonly unknown[],
    sealed: number,
    restore: (item: unknown) => unknown,
  ): Promise<NegativeVerdict | undefined> {
    while (this.#state === 'open' && this.#next < sealed) {
      const index = this.#next;
      const written = restore(growing[index]);
      if (!isExact(written)) this.#state = 'held';
      else if (index < this.#given.length) {
        if (this.at(index, written) === undefined) this.#restart(index);
      } else {
        // The caller can change the validated value, which a schema can return as it got it.
        const verdict = await validateElement(copyJson(written), index, this.#definition.element);
        if (verdict.type !== 'accepted') {
          this.#state = 'held';
          return verdict;
        }
        this.#given.push({ written, value: verdict.value });
        this.#channel.put(verdict.value);
      }
      this.#next += 1;
    }
    return undefined;
  }

  at(index: number, item: unknown): KnownElement | undefined {
    const given = this.#given[index];
    return given !== undefined && isSameJson(item, given.written) ? given : undefined;
  }

  /** Ends the feed with the rest of the accepted answer. */
  finish(output: readonly unknown[]): void {
    if (this.#state === 'over') return;
    const differing = this.#given.findIndex(
      ({ value }, index) => index >= output.length || !Object.is(value, output[index]),
    );
    if (differing !== -1) {
      this.#restart(differing);
      return;
    }
    this.#state = 'over';
    for (const element of output.slice(this.#given.length)) this.#channel.put(element);
    this.#channel.end();
  }

  fail(error: unknown): void {
    this.#state = 'over';
    this.#channel.fail(error);
  }

  #restart(index: number): void {
    this.fail(restartedError(this.#definition, index));
  }
}

/** Deeper and wider parts are left out of a growing value. */
const MAX_DEPTH = 490;
const MAX_MEMBERS = 99_999;

/** Returns false for an element that only the judge of the whole text can rule on. */
function isExact(item: unknown): item is JsonValue {
  if (item === undefined || hasDangerousKey(item) || findSuspect(item) !== undefined) return false;
  let level: readonly unknown[] = [item];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) return false;
    const members = level.map((value) =>
      typeof value === 'object' && value !== null ? (Object.values(value) as readonly unknown[]) : [],
    );
    if (members.some(({ length }) => length > MAX_MEMBERS)) return false;
    level = members.flat();
  }
  return true;
}
