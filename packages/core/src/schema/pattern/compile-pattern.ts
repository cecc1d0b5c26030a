/** Pattern compiler: converts a parsed pattern to a program for the matcher. Pure. */
import { isAnchored, type Assertion, type ParsedPattern, type PatternNode } from './pattern-node.ts';
import type { CodeSet } from './code-set.ts';
import { type Follow, firstSets, isDisjointFromAll, unionSets } from './first-sets.ts';
import { isStraightProgram } from './match-straight.ts';
import { INSTRUCTION_SIZE, OPERATION, type PatternProgram, UNBOUNDED } from './pattern-program.ts';

/** Maximum program size in instructions. Counted repeats are unrolled. */
const MAX_INSTRUCTIONS = 20_000;

/** Instructions of a repeat's iteration beside its body. */
const EXTRA_SIZE = 5;

const ASSERTIONS = {
  start: OPERATION.start,
  end: OPERATION.end,
  boundary: OPERATION.boundary,
  'no-boundary': OPERATION.noBoundary,
} as const satisfies Record<Assertion, number>;

/** Returns true if a pattern is certainly small enough to be compiled. */
export function isSmallPattern(pattern: ParsedPattern): boolean {
  return programSize(pattern.root) <= MAX_INSTRUCTIONS;
}

/**
 * Compiles a parsed pattern.
 *
 * @throws SyntaxError if its counted repeats make it too large
 */
export function compilePattern(pattern: ParsedPattern): PatternProgram {
  const compiler = new PatternCompiler(pattern);
  compiler.emit(pattern.root, { isBack: false, follow: [] });
  compiler.write(OPERATION.match);
  return compiler.finish(isAnchored(pattern.root, 'start'));
}

interface Context {
  readonly isBack: boolean;
  readonly follow: Follow;
}

class PatternCompiler {
  readonly #code: number[] = [];
  readonly #sets: CodeSet[] = [];
  readonly #references: (readonly number[])[] = [];
  readonly #keepsGroups: boolean;
  #splitCount = 0;
  #registerCount: number;

  constructor({ groupCount, hasReferences }: ParsedPattern) {
    this.#keepsGroups = hasReferences;
    this.#registerCount = hasReferences ? 2 * (groupCount + 1) : 0;
  }

  finish(isPatternAnchored: boolean): PatternProgram {
    const code = Int32Array.from(this.#code);
    return {
      code,
      sets: this.#sets,
      references: this.#references,
      splitCount: this.#splitCount,
      registerCount: this.#registerCount,
      isAnchored: isPatternAnchored,
      isStraight: isStraightProgram({ code, isAnchored: isPatternAnchored }),
    };
  }

  write(operation: number, first = 0, second = 0, third = 0): number {
    const at = this.#code.length / INSTRUCTION_SIZE;
    if (at >= MAX_INSTRUCTIONS) {
      throw new SyntaxError('The pattern is too large after its repetitions are expanded');
    }
    this.#code.push(operation, first, second, third);
    return at;
  }

  emit(node: PatternNode, context: Context): void {
    switch (node.type) {
      case 'set':
        this.#emitSet(node.set, context.isBack);
        return;
      case 'assertion':
        this.write(ASSERTIONS[node.assertion]);
        return;
      case 'sequence':
        this.#emitSequence(node.parts, context);
        return;
      case 'choice':
        this.#emitChoice(node.options, context);
        return;
      case 'repeat':
        this.#emitRepeat(node, context);
        return;
      case 'group':
        this.#emitGroup(node, context);
        return;
      case 'look':
        this.#emitLook(node);
        return;
      case 'reference':
        this.write(OPERATION.reference, this.#references.push(node.groups) - 1, context.isBack ? 1 : 0);
        return;
      default:
        node satisfies never;
    }
  }

  #emitSet(set: CodeSet, isBack: boolean): void {
    if (set.only >= 0) this.write(isBack ? OPERATION.charBack : OPERATION.char, set.only);
    else this.write(isBack ? OPERATION.setBack : OPERATION.set, this.#sets.push(set) - 1);
  }

  #emitSequence(parts: readonly PatternNode[], { isBack, follow }: Context): void {
    if (isBack) {
      for (const part of parts.toReversed()) this.emit(part, { isBack, follow: undefined });
      return;
    }
    const follows: Follow[] = [follow];
    for (const part of parts.slice(1).toReversed()) follows.push(firstSets(part, follows.at(-1)));
    for (const [index, part] of parts.entries()) {
      this.emit(part, { isBack, follow: follows[parts.length - 1 - index] });
    }
  }

  #emitChoice(options: readonly PatternNode[], context: Context): void {
    const jumps: number[] = [];
    for (const option of options.slice(0, -1)) {
      const split = this.#openSplit();
      this.emit(option, context);
      jumps.push(this.write(OPERATION.jump));
      this.#closeSplit(split, false);
    }
    const last = options.at(-1);
    if (last !== undefined) this.emit(last, context);
    for (const jump of jumps) this.#patch(jump, 1, this.#here());
  }

  #emitGroup({ index, body }: PatternNode & { type: 'group' }, context: Context): void {
    if (!this.#keepsGroups) {
      this.emit(body, context);
      return;
    }
    this.write(OPERATION.save, 2 * index + (context.isBack ? 1 : 0));
    this.emit(body, context);
    this.write(OPERATION.save, 2 * index + (context.isBack ? 0 : 1));
  }

  #emitLook({ body, isBehind, isNegative }: PatternNode & { type: 'look' }): void {
    const look = this.write(OPERATION.look, 0, isNegative ? 1 : 0);
    this.emit(body, { isBack: isBehind, follow: isBehind ? undefined : [] });
    this.write(OPERATION.match);
    this.#patch(look, 1, this.#here());
  }

  #emitRepeat(node: PatternNode & { type: 'repeat' }, context: Context): void {
    const { body, min, max } = node;
    if (body.type === 'set' && !context.isBack && max > 1 && isDisjointFromAll(body.set, context.follow)) {
      const bounds = [min, max].map((bound) => Math.min(bound, UNBOUNDED));
      this.write(OPERATION.span, this.#sets.push(body.set) - 1, ...bounds);
      return;
    }
    const inner = {
      isBack: context.isBack,
      follow: unionSets(firstSets(body, context.follow), context.follow),
    };
    for (let turn = 0; turn < min; turn += 1) {
      if (!this.#emitTurn(node, inner)) break;
    }
    if (max === Number.POSITIVE_INFINITY) this.#emitLoop(node, inner);
    else this.#emitOptionalTurns(node, inner);
  }

  /**
   * Emits the body once. Returns true if it is not empty, because an empty body needs no further
   * copy.
   */
  #emitTurn({ body, firstGroup, lastGroup }: PatternNode & { type: 'repeat' }, context: Context): boolean {
    const before = this.#here();
    if (this.#keepsGroups && firstGroup <= lastGroup) {
      this.write(OPERATION.reset, 2 * firstGroup, 2 * lastGroup + 1);
    }
    this.emit(body, context);
    return this.#here() > before;
  }

  #emitLoop(node: PatternNode & { type: 'repeat' }, context: Context): void {
    const split = this.#openSplit();
    this.#emitChecked(node, context);
    this.write(OPERATION.jump, split);
    this.#closeSplit(split, node.isLazy);
  }

  #emitOptionalTurns(node: PatternNode & { type: 'repeat' }, context: Context): void {
    const splits: number[] = [];
    for (let turn = node.min; turn < node.max; turn += 1) {
      splits.push(this.#openSplit());
      if (!this.#emitChecked(node, context)) break;
    }
    for (const split of splits) this.#closeSplit(split, node.isLazy);
  }

  /**
   * Emits an optional iteration, which must not be empty. Without groups the matcher's memory of
   * positions ensures that.
   */
  #emitChecked(node: PatternNode & { type: 'repeat' }, context: Context): boolean {
    if (!this.#keepsGroups) return this.#emitTurn(node, context);
    const register = this.#registerCount;
    this.#registerCount += 1;
    this.write(OPERATION.save, register);
    const isSomething = this.#emitTurn(node, context);
    this.write(OPERATION.check, register);
    return isSomething;
  }

  #openSplit(): number {
    this.#splitCount += 1;
    return this.write(OPERATION.split, this.#here() + 1, 0, this.#splitCount - 1);
  }

  #closeSplit(split: number, isLazy: boolean): void {
    this.#patch(split, isLazy ? 1 : 2, this.#here());
    if (isLazy) this.#patch(split, 2, split + 1);
  }

  #here(): number {
    return this.#code.length / INSTRUCTION_SIZE;
  }

  #patch(instruction: number, operand: number, value: number): void {
    this.#code[instruction * INSTRUCTION_SIZE + operand] = value;
  }
}

/** Upper bound of a part's instructions, counted without emitting them. */
function programSize(node: PatternNode): number {
  switch (node.type) {
    case 'set':
    case 'assertion':
    case 'reference':
      return 1;
    case 'sequence':
      return node.parts.reduce((size, part) => size + programSize(part), 0);
    case 'choice':
      return node.options.reduce((size, option) => size + programSize(option) + 2, 0);
    case 'group':
    case 'look':
      return programSize(node.body) + 2;
    case 'repeat': {
      const size = programSize(node.body);
      return size === 0 ? EXTRA_SIZE : (size + EXTRA_SIZE) * turnsOf(node);
    }
    default:
      return node satisfies never;
  }
}

/** Maximum number of copies of a repeat's body. */
function turnsOf({ min, max }: PatternNode & { type: 'repeat' }): number {
  return max === Number.POSITIVE_INFINITY ? min + 1 : Math.max(min, max, 1);
}
