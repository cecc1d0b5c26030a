/** Element events: previews of the elements of a list in the agent's text, for a reader of the run's events. */
import { ElementFeed } from '@truecast/core/internal/output/validate/element-feed';
import type { WorkingContext } from './run-context.ts';
import type { AnswerFinder } from '../finalizer/answer-finder.ts';

/** Emits the elements of one turn. */
export interface ElementEvents {
  /** Called after each piece of text. */
  take(): void;
  /** Resolves when each taken element is emitted. */
  settled(): Promise<void>;
}

/** Undefined if no loop reads the events, and for an answer whose text is not a growing list. */
export function createElementEvents(
  { options: { output }, observers, progress, emit }: WorkingContext,
  finder: AnswerFinder | undefined,
): ElementEvents | undefined {
  if (output?._tag !== 'array' || finder?.growing === undefined || !observers.wantsElements()) {
    return undefined;
  }
  let index = 0;
  let draft: number | undefined;
  const channel = {
    put(value: unknown): void {
      emit({ type: 'element', draft: progress.elementDrafts, index, value });
      index += 1;
    },
    end: () => undefined,
    fail: () => undefined,
  };
  let feed = new ElementFeed(output, channel);
  const next = (): Promise<unknown> | undefined => {
    const growing = finder.growing?.();
    if (growing === undefined || !Array.isArray(growing.value)) return undefined;
    if (growing.draft !== draft) {
      ({ draft } = growing);
      index = 0;
      progress.elementDrafts += 1;
      // A preview begins anew with each draft: the last one counts.
      feed = new ElementFeed(output, channel);
    }
    return feed.take(growing.value, (item) => item);
  };
  let taking: Promise<void> | undefined;
  const takeAll = async (first: Promise<unknown>): Promise<void> => {
    for (let one: Promise<unknown> | undefined = first; one !== undefined; one = next()) await one;
    taking = undefined;
  };
  return {
    take() {
      if (taking !== undefined) return;
      const first = next();
      if (first !== undefined) taking = takeAll(first);
    },
    settled: () => taking ?? Promise.resolve(),
  };
}
