/** Owns a turn's place while the turn only waits: for others, who may need the very place. */
import type { Places } from '../../store/queue/places.ts';

/** Does `wait` without the place of the turn. Once `signal` aborts the turn does not queue for its place: it only has to stop. */
export type WhileWaiting = <T>(wait: () => Promise<T>, signal: AbortSignal) => Promise<T>;

/**
 * Makes it for one turn, which has one of `places`.
 *
 * The place is away from the first wait of a batch until the last one has ended; what else is in the batch goes on meanwhile.
 */
export function stepAside(places: Places): WhileWaiting {
  let waits = 0;
  let back: Promise<void> | undefined;
  return async (wait, signal) => {
    waits += 1;
    if (waits === 1) {
      // A place that is not ours yet cannot be given back.
      await back;
      places.giveBack();
    }
    try {
      return await wait();
    } finally {
      waits -= 1;
      if (waits === 0) {
        back = places.comeBack(signal);
        await back;
      }
    }
  };
}
