/** Work meter of pattern matching. Pure. */

/** Receives each amount of work when it is done. Throws if the total is too much. */
export interface WorkMeter {
  spend(units: number): void;
}
