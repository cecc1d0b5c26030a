/** Owns a pattern ready for use: parsed and compiled, so that a bad one is told at once. Pure. */
import { compilePattern } from './compile-pattern.ts';
import { matchPattern, type WorkMeter } from './match-pattern.ts';
import { parsePattern } from './parse-pattern.ts';
import type { PatternProgram } from './pattern-program.ts';

/** Tells whether a text holds a match of an ECMAScript pattern, in work that is counted. */
export interface Pattern {
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
  const program: PatternProgram = compilePattern(parsePattern(source));
  return { matches: (text, meter) => matchPattern(program, text, meter) };
}
