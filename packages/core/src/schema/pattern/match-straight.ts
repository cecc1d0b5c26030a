/** Matcher for programs without alternatives: one pass, no backtracking. Pure. */
import { codePointAt, widthOf } from './code-points-of.ts';
import { INSTRUCTION_SIZE, OPERATION, type PatternProgram, SPAN_MASK } from './pattern-program.ts';
import type { WorkMeter } from '../work/work-budget.ts';

const STRAIGHT_OPERATIONS: ReadonlySet<number> = new Set([
  OPERATION.match,
  OPERATION.char,
  OPERATION.set,
  OPERATION.start,
  OPERATION.end,
  OPERATION.span,
]);

/**
 * Returns true if `runStraight` can run the program. Most schema patterns qualify, such as
 * `^[a-z][a-z0-9-]*$`.
 */
export function isStraightProgram({
  code,
  isAnchored,
}: Pick<PatternProgram, 'code' | 'isAnchored'>): boolean {
  if (!isAnchored) return false;
  for (let index = 0; index < code.length; index += INSTRUCTION_SIZE) {
    if (!STRAIGHT_OPERATIONS.has(code[index] ?? 0)) return false;
  }
  return true;
}

/**
 * Runs a straight program at the start of `text`. Returns the steps, negative without a match.
 * Steps of long spans are already charged.
 *
 * @throws errors of `meter`
 */
export function runStraight({ code, sets }: PatternProgram, text: string, meter: WorkMeter): number {
  let at = 0;
  let steps = 0;
  for (let index = 0; ; index += INSTRUCTION_SIZE) {
    steps += 1;
    const operand = code[index + 1] ?? 0;
    switch (code[index]) {
      case OPERATION.match:
        return steps;
      case OPERATION.start:
        if (at !== 0) return -steps;
        break;
      case OPERATION.end:
        if (at !== text.length) return -steps;
        break;
      case OPERATION.char:
        if (codePointAt(text, at) !== operand) return -steps;
        at += widthOf(operand);
        break;
      default: {
        const isSpan = code[index] === OPERATION.span;
        const min = isSpan ? (code[index + 2] ?? 0) : 1;
        const max = isSpan ? (code[index + 3] ?? 0) : 1;
        const set = sets[operand];
        let count = 0;
        while (set !== undefined && count < max) {
          const codePoint = codePointAt(text, at);
          if (codePoint < 0 || !set.has(codePoint)) break;
          at += widthOf(codePoint);
          count += 1;
          if ((count & SPAN_MASK) === 0) meter.spend(set.stepsFor(SPAN_MASK + 1));
        }
        steps += set?.stepsFor(count & SPAN_MASK) ?? 0;
        if (count < min) return -steps;
      }
    }
  }
}
