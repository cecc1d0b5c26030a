/** Element loop: `elements` of an answer that is being written, for one reader. Pure. */
import { UsageError } from '../../errors/usage-error.ts';
import { createChannel, type Channel } from '../../kit/channel.ts';
import { describeValue } from '../../kit/describe-value.ts';
import { isRecord } from '../../kit/is-record.ts';
import type { OutputArrayDefinition } from '../definition/definition.ts';
import { ElementFeed } from './element-feed.ts';

/** Type of the elements of an answer. `never` for another answer. */
export type ElementOf<TOutput> = [TOutput] extends [readonly (infer TElement)[]] ? TElement : never;

/** The answer that a loop belongs to. */
interface LoopedAnswer {
  /** The definition, which need not be checked yet. */
  readonly output: unknown;
  /** Resolves to the accepted answer. Called when the loop begins. */
  result(): Promise<{ readonly output: unknown }>;
  /** Called when the loop is left before its end. */
  onLeave(): void;
}

export interface ElementLoop<TElement> extends AsyncIterable<TElement> {
  /** The feed of the loop, once it has begun. */
  readonly feed: ElementFeed | undefined;
}

/** Creates the loop. Its elements come from the feed, and those that it missed from the accepted answer. */
export function createElementLoop<TElement>(answer: LoopedAnswer): ElementLoop<TElement> {
  return new AnswerLoop(answer);
}

/**
 * A class: V8 keeps the getter of a literal in the old space, and the call with it, until a full collection.
 * `generate()` was a fifth slower with one.
 */
class AnswerLoop<TElement> implements ElementLoop<TElement> {
  readonly #answer: LoopedAnswer;
  #channel: Channel<unknown> | undefined;
  #feed: ElementFeed | undefined;

  constructor(answer: LoopedAnswer) {
    this.#answer = answer;
  }

  get feed(): ElementFeed | undefined {
    return this.#feed;
  }

  [Symbol.asyncIterator](): AsyncIterator<TElement> {
    const { output, result } = this.#answer;
    if (!isList(output)) {
      result().catch(() => undefined);
      throw notAList(output);
    }
    const channel = (this.#channel ??= createChannel('all'));
    if (this.#feed === undefined) this.#begin(output, channel);
    return this.#read(channel);
  }

  #begin(definition: OutputArrayDefinition<unknown>, channel: Channel<unknown>): void {
    const begun = new ElementFeed(definition, channel);
    this.#feed = begun;
    // A caller that only reads gets the failure from the loop, not as an unhandled rejection.
    this.#answer.result().then(
      (answer) => begun.finish(Array.isArray(answer.output) ? answer.output : []),
      (error: unknown) => begun.fail(error),
    );
  }

  async *#read(channel: Channel<unknown>): AsyncGenerator<TElement> {
    let isLeft = true;
    try {
      // The element's schema accepted each value.
      for await (const element of channel) yield element as TElement;
      isLeft = false;
    } catch (error) {
      isLeft = false;
      throw error;
    } finally {
      if (isLeft) this.#answer.onLeave();
    }
  }
}

function isList(output: unknown): output is OutputArrayDefinition<unknown> {
  return isRecord(output) && '~output' in output && output['_tag'] === 'array';
}

function notAList(output: unknown): UsageError {
  const got = isRecord(output) && typeof output['_tag'] === 'string' ? output['_tag'] : describeValue(output);
  return new UsageError(
    `Expected an \`output\` of \`Output.array()\` for \`elements\`, got ${got}. Write \`Output.array({ element })\`, without \`question\` and \`decline\`, or read the partial values.`,
    { code: 'unsupported' },
  );
}
