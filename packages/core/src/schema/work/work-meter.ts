/** Work meter of pattern matching. Pure. */

/** Receives the work as it is done. Throws if it is too much. */
export interface WorkMeter {
  spend(units: number): void;
}
