/** Owns finding the objects in what a model printed, and what it said around its reasoning. Linear, never throws. Pure. */
import { readObject, type FoundObject } from './read-object.ts';
import { reasoningTags, type ReasoningTag } from '../../output/reasoning-tags.ts';

/** What was found in a text. */
export interface FoundObjects {
  /** In the order in which they stand. */
  readonly objects: readonly FoundObject[];
  /** The text without its reasoning, trimmed. */
  readonly speech: string;
  /** How many characters were looked at, those of repeated readings included. */
  readonly work: number;
}

/** How many times its length a text may be read: readings that overlap without end are no model's habit, but an attack. */
const MAX_READINGS = 24;
const MIN_WORK = 10_000;

/**
 * Finds every object that stands outside of another one and outside of reasoning.
 *
 * Each `{` outside of a complete object is tried, so that a stray brace or quote hides nothing. Reasoning that is only closed reaches back to the
 * start; reasoning that is only opened reaches to the end.
 */
export function findObjects(text: string): FoundObjects {
  return new ObjectFinder(text).find();
}

class ObjectFinder {
  private readonly text: string;
  private readonly tags: readonly ReasoningTag[];
  private readonly maxWork: number;
  private objects: FoundObject[] = [];
  private spoken: string[] = [];
  private spokenFrom = 0;
  private readonly known = new Map<number, number | undefined>();
  private nextTag = 0;
  private work: number;

  constructor(text: string) {
    this.text = text;
    this.tags = reasoningTags(text);
    this.maxWork = text.length * MAX_READINGS + MIN_WORK;
    this.work = text.length;
  }

  find(): FoundObjects {
    let at = 0;
    for (let brace = this.text.indexOf('{'); ; brace = this.text.indexOf('{', at)) {
      const tag = this.tagFrom(at);
      if (tag !== undefined && (brace === -1 || tag.start < brace)) at = this.passTag(tag);
      else if (brace === -1 || this.work > this.maxWork) break;
      else at = this.passBrace(brace);
    }
    this.spoken.push(this.text.slice(this.spokenFrom));
    return { objects: this.objects, speech: this.spoken.join('').trim(), work: this.work };
  }

  private tagFrom(at: number): ReasoningTag | undefined {
    while ((this.tags[this.nextTag]?.start ?? at) < at) this.nextTag += 1;
    return this.tags[this.nextTag];
  }

  /** Returns where to go on after a mark of reasoning. */
  private passTag(tag: ReasoningTag): number {
    if (tag.isClosing) {
      this.objects = [];
      this.spoken = [];
      this.spokenFrom = tag.end;
      return tag.end;
    }
    this.spoken.push(this.text.slice(this.spokenFrom, tag.start));
    let index = this.nextTag + 1;
    while (index < this.tags.length && !isClosingOf(this.tags[index], tag)) index += 1;
    this.nextTag = index;
    this.spokenFrom = this.tags[index]?.end ?? this.text.length;
    return this.spokenFrom;
  }

  /** Returns where to go on after an opening brace. */
  private passBrace(start: number): number {
    if (this.known.has(start)) return this.known.get(start) ?? start + 1;
    const reading = readObject(this.text, start);
    this.work += reading.end - start;
    for (const [brace, end] of reading.braces) this.known.set(brace, end);
    if (reading.found !== undefined) this.objects.push(reading.found);
    this.objects.push(...reading.inside);
    // Up to the end it reads as one object: a mark in it stands in a string.
    if (reading.status === 'cut') this.nextTag = this.tags.length;
    return reading.status === 'complete' ? reading.end : start + 1;
  }
}

function isClosingOf(tag: ReasoningTag | undefined, opening: ReasoningTag): boolean {
  return tag?.isClosing === true && tag.name === opening.name;
}
