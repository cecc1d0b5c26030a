/** Owns a pattern ready for use: parsed at once, so that a bad one is told, and compiled when it is first matched. Pure. */
import { compilePattern, isSmallPattern } from './compile-pattern.ts';
import { matchPattern } from './match-pattern.ts';
import type { WorkMeter } from './work-meter.ts';
import { parsePattern } from './parse-pattern.ts';
import type { PatternProgram } from './pattern-program.ts';

/** Tells whether a text holds a match of an ECMAScript pattern, in work that is counted. */
export interface Pattern {
  /** How much has been compiled already, in numbers of its program. */
  readonly eagerNumbers: number;
  /** @throws what `meter` throws when the work is too much */
  matches(text: string, meter: WorkMeter): boolean;
}

/**
 * Prepares a pattern.
 *
 * Nothing of it is given to `RegExp` but its syntax to judge: a pattern from a stranger may take `RegExp` forever.
 *
 * @throws SyntaxError when it is no pattern, is not supported, or is too large
 */
export function createPattern(source: string): Pattern {
  const parsed = parsePattern(source);
  // A large one may still turn out small, as `.{0,100000}` does, and has to be refused here if not.
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
