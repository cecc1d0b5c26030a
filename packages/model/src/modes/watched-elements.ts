/**
 * Watched elements: passes the elements of a reply to their loop while it is written, and ends the reply
 * at an invalid one.
 */
import { refusalError } from '@truecast/core/internal/output/definition/answer-errors';
import type { AnyOutputDefinition } from '@truecast/core/internal/output/definition/definition';
import type { SafeExtractResult } from '@truecast/core/internal/output/definition/provenance';
import { hasEnvelope, refuseVerdict, valueIn } from '@truecast/core/internal/output/judge/judged';
import type { NegativeVerdict } from '@truecast/core/internal/output/judge/validate-value';
import { ENVELOPE_KEY } from '@truecast/core/internal/schema/engine/embed-schema';
import type { ElementFeed } from '@truecast/core/internal/output/validate/element-feed';
import type { ModelReply } from '../call/model-reply.ts';
import { STOPPED } from '../runaway/runaway-reply.ts';
import type { ModelMode } from './answer-mode.ts';

/** Takes the growing value of one reply, the same objects within a draft. Resolves to true to end the reply. */
type TakeElements = (value: unknown) => Promise<boolean> | undefined;

export interface WatchedElements {
  readonly feed: ElementFeed;
  /** Begins a reply to a request by a mode. */
  watch(mode: Pick<ModelMode, 'name' | 'restore'>): TakeElements;
  /** Returns the refusal of a reply that was ended. Undefined for another one. */
  refusalOf(reply: ModelReply): SafeExtractResult<unknown> | undefined;
}

/** @param endsReplies - false if the whole reply decides, whatever its elements are */
export function watchElements(
  feed: ElementFeed,
  output: AnyOutputDefinition,
  endsReplies: boolean,
): WatchedElements {
  let refused: NegativeVerdict | undefined;
  return {
    feed,
    watch(mode) {
      refused = undefined;
      let list: unknown;
      // Between tags, a later match replaces this one.
      const isEnding = endsReplies && mode.name !== 'tag';
      feed.begin();
      const end = async (taking: Promise<NegativeVerdict | undefined>): Promise<boolean> => {
        const verdict = await taking;
        if (verdict === undefined || !isEnding) return false;
        refused = verdict;
        return true;
      };
      return (value) => {
        const isWrapped = hasEnvelope(value);
        const growing = isWrapped ? valueIn(value) : value;
        if (!Array.isArray(growing)) return undefined;
        // The answer began again.
        if (list !== undefined && growing !== list) feed.begin();
        list = growing;
        const taking = feed.take(growing, (item) => restoreItem(item, isWrapped, mode));
        return taking && end(taking);
      };
    },
    refusalOf({ finishReason, text }) {
      if (finishReason !== STOPPED || refused === undefined) return undefined;
      return { success: false, error: refusalError(output, refuseVerdict(refused, text)) };
    },
  };
}

/** Converts one element back by the conversion of the whole, so that the cost does not grow with the list. */
function restoreItem(item: unknown, isWrapped: boolean, { restore }: Pick<ModelMode, 'restore'>): unknown {
  const restored = restore(isWrapped ? { [ENVELOPE_KEY]: [item] } : [item]);
  const list = hasEnvelope(restored) ? valueIn(restored) : restored;
  return Array.isArray(list) && list.length === 1 ? (list as readonly unknown[])[0] : undefined;
}
