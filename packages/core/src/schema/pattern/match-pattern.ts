/** Backtracking matcher with memoization, in bounded steps. Pure. */
import { codePointAt, codePointBefore, isPairAt, isWord, widthOf } from './code-points-of.ts';
import { INSTRUCTION_SIZE, OPERATION, SPAN_MASK, UNBOUNDED, type PatternProgram } from './pattern-program.ts';
import { runStraight } from './match-straight.ts';
import { PositionMemory } from './position-memory.ts';
import type { WorkMeter } from '../work/work-budget.ts';

/** Steps per unit of work: a step takes a few nanoseconds, a unit about twenty. */
const STEPS_PER_UNIT = 1;
/** Steps between two reports to the meter. */
const CHUNK_STEPS = 4096;
/** Steps of a short text before memoization, whose memory ordinary matches never need, starts. */
const PLAIN_STEPS = 1024;
const PLAIN_STEPS_PER_CHAR = 4;
const MAX_PLAIN_STEPS = 65_536;
/** Bits of memory per unit of work. */
const BITS_PER_UNIT = 128;

/**
 * Returns true if the program matches anywhere in `text`.
 *
 * Tries alternatives in order with backtracking. After unusually many steps it restarts with
 * memoization: each alternative that failed at a position is not tried there again. The steps are
 * then at most the program size times the text length. Only backreferences cannot be memoized; the
 * meter alone bounds them.
 *
 * @throws errors of `meter`
 */
export function matchPattern(program: PatternProgram, text: string, meter: WorkMeter): boolean {
  if (program.isStraight) {
    const steps = runStraight(program, text, meter);
    meter.spend(2 + Math.abs(steps));
    return steps > 0;
  }
  const matcher = new PatternMatcher(program, text, meter);
  const isPlain =
    program.registerCount > 0
      ? undefined
      : matcher.search(Math.min(PLAIN_STEPS + PLAIN_STEPS_PER_CHAR * text.length, MAX_PLAIN_STEPS));
  return isPlain ?? matcher.searchRemembering();
}

class PatternMatcher {
  readonly #program: PatternProgram;
  readonly #text: string;
  readonly #meter: WorkMeter;
  readonly #registers: Int32Array;
  readonly #stack: number[] = [];
  #memory: PositionMemory | undefined;
  /** Start and end of the last `span`. */
  #spanIndex = -1;
  #spanStart = 0;
  #spanEnd = 0;
  #stepsLeft = 0;
  #isLimited = true;

  constructor(program: PatternProgram, text: string, meter: WorkMeter) {
    this.#program = program;
    this.#text = text;
    this.#meter = meter;
    this.#registers = new Int32Array(program.registerCount).fill(-1);
  }

  /** Searches without memoization; `undefined` after more than `maxSteps`. */
  search(maxSteps: number): boolean | undefined {
    this.#isLimited = true;
    this.#stepsLeft = maxSteps;
    const found = this.#searchFromEach();
    this.#meter.spend(2 + Math.ceil((maxSteps - this.#stepsLeft) / STEPS_PER_UNIT));
    return this.#stepsLeft < 0 ? undefined : found;
  }

  searchRemembering(): boolean {
    const { splitCount, registerCount } = this.#program;
    if (registerCount === 0) {
      const bits = splitCount * (this.#text.length + 1);
      this.#meter.spend(Math.ceil(bits / BITS_PER_UNIT));
      this.#memory = new PositionMemory(splitCount, this.#text.length);
    }
    this.#isLimited = false;
    this.#stepsLeft = 0;
    const found = this.#searchFromEach();
    this.#meter.spend(Math.ceil(Math.max(this.#stepsLeft, 0) / STEPS_PER_UNIT));
    return found;
  }

  #searchFromEach(): boolean {
    const last = this.#program.isAnchored ? 0 : this.#text.length;
    for (let start = 0; start <= last; start += 1) {
      // A match never begins inside a surrogate pair.
      if (start > 0 && isPairAt(this.#text, start - 1)) continue;
      this.#stack.length = 0;
      this.#registers.fill(-1);
      if (this.#run(0, start)) return true;
      if (this.#stepsLeft < 0 && this.#isLimited) return false;
    }
    return false;
  }

  /** Runs from an instruction to its `match`. Only register restores stay on the stack. */
  #run(from: number, start: number): boolean {
    const { code } = this.#program;
    const stack = this.#stack;
    const base = stack.length;
    let pc = from;
    let at = start;
    for (;;) {
      this.#stepsLeft -= 1;
      if (this.#stepsLeft < 0 && !this.#refill()) return false;
      const index = pc * INSTRUCTION_SIZE;
      const operation = code[index] ?? 0;
      const operand = code[index + 1] ?? 0;
      if (operation === OPERATION.match) {
        this.#dropChoices(base);
        return true;
      }
      if (operation === OPERATION.jump || (operation === OPERATION.look && this.#look(pc, at))) {
        pc = operand;
        continue;
      }
      if (operation === OPERATION.split && (this.#memory?.add(code[index + 3] ?? 0, at) ?? true)) {
        stack.push(code[index + 2] ?? 0, at);
        pc = operand;
        continue;
      }
      const next = this.#advance(operation, index, at);
      if (next >= 0) {
        pc += 1;
        at = next;
        continue;
      }
      pc = this.#backtrack(base);
      if (pc < 0) return false;
      at = stack.pop() ?? 0;
    }
  }

  /** Runs an instruction with one successor. Returns the next position, or -1 on failure. */
  #advance(operation: number, index: number, at: number): number {
    const operand = this.#program.code[index + 1] ?? 0;
    const second = this.#program.code[index + 2] ?? 0;
    switch (operation) {
      case OPERATION.char:
        return codePointAt(this.#text, at) === operand ? at + widthOf(operand) : -1;
      case OPERATION.set:
        return this.#takeSet(operand, codePointAt(this.#text, at), at, 1);
      case OPERATION.span:
        return this.#span(index, at);
      case OPERATION.charBack:
        return codePointBefore(this.#text, at) === operand ? at - widthOf(operand) : -1;
      case OPERATION.setBack:
        return this.#takeSet(operand, codePointBefore(this.#text, at), at, -1);
      case OPERATION.save:
        this.#setRegister(operand, at);
        return at;
      case OPERATION.reset:
        for (let register = operand; register <= second; register += 1) this.#setRegister(register, -1);
        return at;
      case OPERATION.check:
        return this.#registers[operand] === at ? -1 : at;
      case OPERATION.reference:
        return this.#repeatGroup(operand, at, second === 1);
      case OPERATION.split:
      case OPERATION.look:
        // Other instructions have continued already. The rest fails: a known alternative, or a
        // look-around.
        return -1;
      default:
        return this.#holds(operation, at) ? at : -1;
    }
  }

  #takeSet(set: number, codePoint: number, at: number, direction: 1 | -1): number {
    const asked = this.#program.sets[set];
    this.#takeSteps(asked?.stepsFor(0) ?? 0);
    const holds = codePoint >= 0 && asked?.has(codePoint) === true;
    return holds ? at + direction * widthOf(codePoint) : -1;
  }

  /** Restores registers down to the last alternative. Returns its instruction, or -1. */
  #backtrack(base: number): number {
    const stack = this.#stack;
    while (stack.length > base) {
      const at = stack.pop() ?? 0;
      const pc = stack.pop() ?? 0;
      if (pc >= 0) {
        stack.push(at);
        return pc;
      }
      this.#registers[-pc - 1] = at;
    }
    return -1;
  }

  /** Discards the alternatives above `base`. Register restores stay for outer alternatives. */
  #dropChoices(base: number): void {
    const stack = this.#stack;
    let kept = base;
    for (let index = base; index < stack.length; index += 2) {
      const pc = stack[index] ?? 0;
      if (pc >= 0) continue;
      stack[kept] = pc;
      stack[kept + 1] = stack[index + 1] ?? 0;
      kept += 2;
    }
    stack.length = kept;
  }

  #look(pc: number, at: number): boolean {
    const isNegative = this.#program.code[pc * INSTRUCTION_SIZE + 2] === 1;
    const base = this.#stack.length;
    const outer = this.#memory?.begin();
    const found = this.#run(pc + 1, at);
    if (this.#stepsLeft < 0 && this.#isLimited) return false;
    if (found && isNegative) this.#undoRegisters(base);
    this.#memory?.settle(found, outer);
    return found !== isNegative;
  }

  #undoRegisters(base: number): void {
    while (this.#stack.length > base) {
      const value = this.#stack.pop() ?? 0;
      const pc = this.#stack.pop() ?? 0;
      this.#registers[-pc - 1] = value;
    }
  }

  /** Consumes all code points of the set; -1 if there are too few. */
  #span(index: number, start: number): number {
    const { code, sets } = this.#program;
    const set = sets[code[index + 1] ?? 0];
    const min = code[index + 2] ?? 0;
    const max = code[index + 3] ?? 0;
    // A search that restarts one position further would consume the same characters each time.
    const isInside =
      max === UNBOUNDED && index === this.#spanIndex && start >= this.#spanStart && start < this.#spanEnd;
    const wanted = isInside ? min : max;
    let at = start;
    let count = 0;
    while (set !== undefined && count < wanted) {
      const codePoint = codePointAt(this.#text, at);
      if (codePoint < 0 || !set.has(codePoint)) break;
      at += widthOf(codePoint);
      count += 1;
      if ((count & SPAN_MASK) !== 0) continue;
      this.#takeSteps(set.stepsFor(SPAN_MASK + 1));
      if (this.#stepsLeft < 0 && !this.#refill()) return -1;
    }
    this.#takeSteps(set?.stepsFor(count & SPAN_MASK) ?? 0);
    if (count < min) return -1;
    if (isInside) return this.#spanEnd;
    this.#spanIndex = index;
    this.#spanStart = start;
    this.#spanEnd = at;
    return at;
  }

  #repeatGroup(list: number, at: number, isBack: boolean): number {
    const groups = this.#program.references[list] ?? [];
    const group = groups.find(
      (index) => (this.#registers[2 * index + 1] ?? -1) >= 0 && (this.#registers[2 * index] ?? -1) >= 0,
    );
    if (group === undefined) return at;
    const part = this.#text.slice(this.#registers[2 * group] ?? 0, this.#registers[2 * group + 1] ?? 0);
    this.#takeSteps(part.length >>> 2);
    const from = isBack ? at - part.length : at;
    if (from < 0 || !this.#text.startsWith(part, from)) return -1;
    return isBack ? from : at + part.length;
  }

  #setRegister(register: number, value: number): void {
    this.#stack.push(-register - 1, this.#registers[register] ?? -1);
    this.#registers[register] = value;
  }

  #holds(operation: number, at: number): boolean {
    if (operation === OPERATION.start) return at === 0;
    if (operation === OPERATION.end) return at === this.#text.length;
    const isBoundary = isWord(codePointBefore(this.#text, at)) !== isWord(codePointAt(this.#text, at));
    return isBoundary === (operation === OPERATION.boundary);
  }

  #takeSteps(steps: number): void {
    this.#stepsLeft -= steps;
  }

  /** Charges more steps; `false` if no more are available without memoization. */
  #refill(): boolean {
    if (this.#isLimited) return false;
    this.#meter.spend(Math.ceil((CHUNK_STEPS - this.#stepsLeft) / STEPS_PER_UNIT));
    this.#stepsLeft = CHUNK_STEPS;
    return true;
  }
}
