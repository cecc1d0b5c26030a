/** Search for known secrets in texts that arrive in pieces. Shapes of tokens are not searched. Pure. */
import { NeedleAutomaton } from './needle-automaton.ts';
import { SecretScanner } from './secret-scanner.ts';
import { declaredValues, secretValues, toNeedles } from './secret-values.ts';
import type { MaskedEnvironment } from './secret-mask.ts';

export interface TextSearch {
  /** Accepts a piece. Returns true if a secret was found so far. */
  push(text: string): boolean;
  /** Ends the text. Returns true if it contains a secret. */
  end(): boolean;
}

/**
 * Creates a search for declared values, and for inherited values with a secret name. Undefined if
 * there are none.
 */
export function createSecretSearch({ inside, host }: MaskedEnvironment): (() => TextSearch) | undefined {
  const needles = toNeedles([...declaredValues(inside), ...secretValues({ ...host })]);
  if (needles.size === 0) return undefined;
  const automaton = new NeedleAutomaton(needles, []);
  return () => {
    const scanner = new SecretScanner(automaton);
    let undecided = '';
    let isFound = false;
    const compare = (masked: string): boolean => {
      isFound ||= masked !== undecided.slice(0, masked.length);
      undecided = undecided.slice(masked.length);
      return isFound;
    };
    return {
      push(text) {
        undecided += text;
        return compare(scanner.push(text));
      },
      end: () => compare(scanner.end()),
    };
  };
}
