/** Secret mask: the single object with which a run keeps secrets out of all its output. Pure. */
import { NeedleAutomaton } from './needle-automaton.ts';
import { SecretScanner } from './secret-scanner.ts';
import { StyledScanner } from './styled-scanner.ts';
import { declaredValues, secretValues, toNeedles } from './secret-values.ts';
import { TOKEN_SHAPES } from './token-shapes.ts';

/** Replaces each character of a secret with `*`. Masking a masked text changes nothing. */
export interface SecretMask {
  /** Masks a whole text. */
  readonly mask: (text: string) => string;
  /** Creates a mask for text that arrives in pieces, where a secret can be split between two. */
  readonly stream: () => SecretMaskStream;
}

/** Masks text that arrives in pieces. */
export interface SecretMaskStream {
  /** Accepts a piece. Returns the text that cannot be the beginning of a secret. */
  readonly push: (chunk: string) => string;
  /** Returns the text that was held back. */
  readonly end: () => string;
}

/** Creates a mask for known values, and for everything with the shape of a token. */
export function createSecretMask(secrets: readonly string[]): SecretMask {
  const automaton = new NeedleAutomaton(toNeedles(secrets), TOKEN_SHAPES);
  const stream = (): SecretMaskStream => {
    const scanner = new StyledScanner(new SecretScanner(automaton));
    return { push: (chunk) => scanner.push(chunk), end: () => scanner.end() };
  };
  const mask = (text: string): string => {
    const whole = new StyledScanner(new SecretScanner(automaton));
    return whole.push(text) + whole.end();
  };
  return { mask, stream };
}

/** Variables whose values are secrets. */
export interface MaskedEnvironment {
  /** For every command in the sandbox. */
  readonly inside: Readonly<Record<string, string>>;
  /** For the agent's provider on the host. */
  readonly host: Readonly<Record<string, string | undefined>>;
}

/**
 * Mask of a run or a server: all declared values, and inherited values with a secret name. It learns them
 * as they become known.
 */
export class RunMask implements SecretMask {
  readonly #secrets = new Set<string>();
  #current: SecretMask | undefined;

  /** Masks these values too. A stream masks the values that were known when it was created. */
  learn({ inside = {}, host = {} }: Partial<MaskedEnvironment>): void {
    this.learnValues([...declaredValues(inside), ...secretValues({ ...host })]);
  }

  /** As `learn()`, for values without a name. */
  learnValues(values: readonly string[]): void {
    const before = this.#secrets.size;
    for (const value of values) this.#secrets.add(value);
    if (this.#secrets.size > before) this.#current = undefined;
  }

  readonly mask = (text: string): string => this.#known().mask(text);

  readonly stream = (): SecretMaskStream => this.#known().stream();

  #known(): SecretMask {
    this.#current ??= createSecretMask([...this.#secrets]);
    return this.#current;
  }
}
