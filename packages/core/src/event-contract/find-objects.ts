/**
 * Scanner for JSON objects in a model's output, and for the text outside its reasoning. Linear,
 * never throws. Pure.
 */
import { readObject, type FoundObject } from './read-object.ts';
import { reasoningTags, type ReasoningTag } from '../output/validate/reasoning-tags.ts';

/** Scan result of a text. */
export interface FoundObjects {
  /** In order of position. */
  readonly objects: readonly FoundObject[];
  /** The text without its reasoning, trimmed. */
  readonly speech: string;
  /** Number of characters read, repeated reads included. */
  readonly work: number;
}

/**
 * Maximum reads as a multiple of the text's length. Endless overlap is an attack, not a model's
 * habit.
 */
const MAX_READINGS = 24;
const MIN_WORK = 10_000;

/**
 * Finds every object outside other objects and outside reasoning.
 *
 * Every `{` outside a complete object is tried, so that a stray brace or quote hides nothing.
 * Reasoning with only a closing mark starts at the beginning; with only an opening mark it extends
 * to the end.
 */
export function findObjects(text: string): FoundObjects {
  return new ObjectFinder(text).find();
}

class ObjectFinder {
  readonly #text: string;
  readonly #tags: readonly ReasoningTag[];
  readonly #maxWork: number;
  #objects: FoundObject[] = [];
  #spoken: string[] = [];
  #spokenFrom = 0;
  readonly #known = new Map<number, number | undefined>();
  #nextTag = 0;
  #work: number;

  constructor(text: string) {
    this.#text = text;
    this.#tags = reasoningTags(text);
    this.#maxWork = text.length * MAX_READINGS + MIN_WORK;
    this.#work = text.length;
  }

  find(): FoundObjects {
    let at = 0;
    for (let brace = this.#text.indexOf('{'); ; brace = this.#text.indexOf('{', at)) {
      const tag = this.#tagFrom(at);
      if (tag !== undefined && (brace === -1 || tag.start < brace)) at = this.#passTag(tag);
      else if (brace === -1 || this.#work > this.#maxWork) break;
      else at = this.#passBrace(brace);
    }
    this.#spoken.push(this.#text.slice(this.#spokenFrom));
    return { objects: this.#objects, speech: this.#spoken.join('').trim(), work: this.#work };
  }

  #tagFrom(at: number): ReasoningTag | undefined {
    while ((this.#tags[this.#nextTag]?.start ?? at) < at) this.#nextTag += 1;
    return this.#tags[this.#nextTag];
  }

  /** Returns the position after a reasoning mark. */
  #passTag(tag: ReasoningTag): number {
    if (tag.isClosing) {
      this.#objects = [];
      this.#spoken = [];
      this.#spokenFrom = tag.end;
      return tag.end;
    }
    this.#spoken.push(this.#text.slice(this.#spokenFrom, tag.start));
    let index = this.#nextTag + 1;
    while (index < this.#tags.length && !isClosingOf(this.#tags[index], tag)) index += 1;
    this.#nextTag = index;
    this.#spokenFrom = this.#tags[index]?.end ?? this.#text.length;
    return this.#spokenFrom;
  }

  /** Returns the position after an opening brace. */
  #passBrace(start: number): number {
    if (this.#known.has(start)) return this.#known.get(start) ?? start + 1;
    const reading = readObject(this.#text, start);
    this.#work += reading.end - start;
    for (const [brace, end] of reading.braces) this.#known.set(brace, end);
    if (reading.found !== undefined) this.#objects.push(reading.found);
    this.#objects.push(...reading.inside);
    // The rest parses as one object, so a mark in it is part of a string.
    if (reading.status === 'cut') this.#nextTag = this.#tags.length;
    return reading.status === 'complete' ? reading.end : start + 1;
  }
}

function isClosingOf(tag: ReasoningTag | undefined, opening: ReasoningTag): boolean {
  return tag?.isClosing === true && tag.name === opening.name;
}
