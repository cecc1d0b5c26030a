/** Owns how a match pays for its work. Pure. */

/** Is told of the work as it is done, and throws when it is too much. */
export interface WorkMeter {
  spend(units: number): void;
}
