/** Element loop: `elements` of an answer that is being written, for one reader. Pure. */
import { UsageError } from '../../errors/usage-error.ts';
import { createChannel } from '../../kit/channel.ts';
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
export function createElementLoop<TElement>({
  output,
  result,
  onLeave,
}: LoopedAnswer): ElementLoop<TElement> {
  const channel = createChannel<unknown>('all');
  let feed: ElementFeed | undefined;
  const begin = (definition: OutputArrayDefinition<unknown>): void => {
    const begun = new ElementFeed(definition, channel);
    feed = begun;
    // A caller that only reads gets the failure from the loop, not as an unhandled rejection.
    result().then(
      (answer) => begun.finish(Array.isArray(answer.output) ? answer.output : []),
      (error: unknown) => begun.fail(error),
    );
  };
  async function* read(): AsyncGenerator<TElement> {
    let isLeft = true;
    try {
      // The element's schema accepted each value.
      for await (const element of channel) yield element as TElement;
      isLeft = false;
    } catch (error) {
      isLeft = false;
      throw error;
    } finally {
      if (isLeft) onLeave();
    }
  }
  return {
    get feed() {
      return feed;
    },
    [Symbol.asyncIterator]() {
      if (!isList(output)) {
        result().catch(() => undefined);
        throw notAList(output);
      }
      if (feed === undefined) begin(output);
      return read();
    },
  };
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
