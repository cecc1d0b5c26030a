/**
 * Candidate finder: the JSON objects in a model's output, and the text outside its reasoning. One
 * finder for lenient answers and events. Linear, never throws. Pure.
 */
import { readJsonObject, type FoundObject } from '../../json/repair/read-json-object.ts';
import { reasoningTags, type ReasoningTag } from './control-tokens.ts';
import { endOfString } from '../../json/text/walk-json.ts';

/** Scan result of a text. */
export interface FoundObjects {
  /** In order of position. */
  readonly objects: readonly FoundObject[];
  /**
   * Position of the last object that was begun and cannot be read. What stands before it is a
   * draft. -1 without one.
   */
  readonly unreadableAt: number;
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
 * Every `{` outside an object is tried, so that a stray brace or quote hides nothing. Nothing is
 * taken from inside an unreadable object: a part of a broken answer is a different answer.
 * Reasoning with only a closing mark starts at the beginning; with only an opening mark it extends
 * to the end.
 *
 * @param keptWhenCut - the field whose beginning is kept if the text ends in it
 */
export function findJsonObjects(text: string, keptWhenCut?: string): FoundObjects {
  return new ObjectFinder(text, keptWhenCut).find();
}

class ObjectFinder {
  readonly #text: string;
  readonly #keptWhenCut: string | undefined;
  readonly #tags: readonly ReasoningTag[];
  #objects: FoundObject[] = [];
  #unreadableAt = -1;
  #spoken: string[] = [];
  #spokenFrom = 0;
  #nextTag = 0;
  #work: number;

  constructor(text: string, keptWhenCut: string | undefined) {
    this.#text = text;
    this.#keptWhenCut = keptWhenCut;
    this.#tags = reasoningTags(text);
    this.#work = text.length;
  }

  find(): FoundObjects {
    let at = 0;
    for (let brace = this.#text.indexOf('{'); ; brace = this.#text.indexOf('{', at)) {
      const tag = this.#tagFrom(at);
      if (tag !== undefined && (brace === -1 || tag.start < brace)) at = this.#passTag(tag);
      else if (brace === -1) break;
      else if (this.#work > this.#text.length * MAX_READINGS + MIN_WORK) {
        // What was not read can contain a correction.
        this.#unreadableAt = brace;
        break;
      } else at = this.#passBrace(brace);
    }
    this.#spoken.push(this.#text.slice(this.#spokenFrom));
    return {
      objects: this.#objects,
      unreadableAt: this.#unreadableAt,
      speech: this.#spoken.join('').trim(),
      work: this.#work,
    };
  }

  #tagFrom(at: number): ReasoningTag | undefined {
    while ((this.#tags[this.#nextTag]?.start ?? at) < at) this.#nextTag += 1;
    return this.#tags[this.#nextTag];
  }

  #passTag(tag: ReasoningTag): number {
    if (tag.isClosing) {
      this.#objects = [];
      this.#unreadableAt = -1;
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

  /** Returns the position after an opening brace, or after the object that it opens. */
  #passBrace(start: number): number {
    if (this.#unreadableAt !== -1 && IN_JSON.test(this.#text.slice(Math.max(0, start - LOOK_BACK), start))) {
      return this.#endOfObject(start);
    }
    const { status, found, isBegun, end } = readJsonObject(this.#text, start, this.#keptWhenCut);
    this.#work += end - start;
    if (found !== undefined) this.#objects.push(found);
    if (status === 'complete') return end;
    if (status === 'failed' && !isBegun) return start + 1;
    this.#unreadableAt = start;
    if (status === 'failed') return this.#endOfObject(start);
    // The rest parses as one object, so a mark in it is part of a string.
    this.#nextTag = this.#tags.length;
    return this.#text.length;
  }

  /**
   * Returns where the braces of an unreadable object are balanced, with or without regard to its
   * strings: a missing quote turns them inside out. The end of the text if they never are.
   */
  #endOfObject(start: number): number {
    const ends = [true, false].map((hasStrings) => balancedEnd(this.#text, start, hasStrings));
    for (const end of ends) this.#work += (end ?? this.#text.length) - start;
    const known = ends.filter((end) => end !== undefined);
    return known.length === 0 ? this.#text.length : Math.max(...known);
  }
}

/** Matches the end of a text if a value that follows is a part of other JSON: after a key, a comma or `[`. */
const IN_JSON = /(?:["\]}]\s*[,:]|\[)\s*$/u;
const LOOK_BACK = 40;

function balancedEnd(text: string, start: number, hasStrings: boolean): number | undefined {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (char === '"' && hasStrings) at = endOfString(text, at) - 1;
    else if (char === '{') depth += 1;
    else if (char === '}') depth -= 1;
    if (depth === 0) return at + 1;
  }
  return undefined;
}

function isClosingOf(tag: ReasoningTag | undefined, opening: ReasoningTag): boolean {
  return tag?.isClosing === true && tag.name === opening.name;
}
