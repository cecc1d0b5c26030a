/** Pattern: parsed eagerly, so that errors appear early, and compiled at the first match. Pure. */
import { compilePattern, isSmallPattern } from './compile-pattern.ts';
import { matchPattern } from './match-pattern.ts';
import type { WorkMeter } from '../work/work-budget.ts';
import { parsePattern } from './parse-pattern.ts';
import type { PatternProgram } from './pattern-program.ts';

/** Returns true if a text contains a match of an ECMAScript pattern, with counted work. */
export interface Pattern {
  /** Size of the compiled program so far. */
  readonly eagerNumbers: number;
  /** @throws errors of `meter` if the work is too much */
  matches(text: string, meter: WorkMeter): boolean;
}

/**
 * Prepares a pattern.
 *
 * `RegExp` only checks the syntax: an untrusted pattern could keep it busy forever.
 *
 * @throws SyntaxError if it is invalid, unsupported, or too large
 */
export function createPattern(source: string): Pattern {
  const parsed = parsePattern(source);
  // A large one can compile to a small program, as `.{0,100000}` does. Otherwise it is rejected
  // here.
  let program: PatternProgram | undefined = isSmallPattern(parsed) ? undefined : compilePattern(parsed);
  return {
    eagerNumbers: program?.code.length ?? 0,
    matches: (text, meter) => {
      if (program === undefined) {
        program = compilePattern(parsed);
        meter.spend(program.code.length);
      }
      return matchPattern(program, text, meter);
    },
  };
}
