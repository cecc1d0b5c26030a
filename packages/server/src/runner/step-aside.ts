/**
 * Releases a turn's worker slot while the turn waits for other turns, which might need the slot.
 */
import type { Places } from '@truecast/store/internal/queue/places';

/**
 * Runs `wait` without the turn's slot. After `signal` aborts, the turn does not queue for a slot:
 * it only has to stop.
 */
export type WhileWaiting = <T>(wait: () => Promise<T>, signal: AbortSignal) => Promise<T>;

/**
 * Creates the function for one turn, which holds one of `places`.
 *
 * The slot is released from the first wait of a batch until the last one ends. Other calls of the
 * batch continue.
 *
 * @param isAlone - true if it is the only turn of its owner, which then does not wait for a slot
 */
export function stepAside(places: Places, isAlone: () => boolean = () => false): WhileWaiting {
  let waits = 0;
  let back: Promise<void> | undefined;
  return async (wait, signal) => {
    waits += 1;
    if (waits === 1) {
      // A slot that is not acquired yet cannot be released.
      await back;
      places.giveBack();
    }
    try {
      return await wait();
    } finally {
      waits -= 1;
      if (waits === 0) {
        back = isAlone() && places.takeBeyond() ? Promise.resolve() : places.comeBack(signal);
        await back;
      }
    }
  };
}
