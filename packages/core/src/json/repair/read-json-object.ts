/**
 * Tolerant parser for one JSON object from its opening brace: iterative, with labelled repairs.
 * Pure.
 */
import { setOwn } from '../scan/partial-builder.ts';
import { type SyntaxRepair, opensString, readString } from './read-string.ts';

/** An object, the repairs that its parsing needed, and its place. Without repairs it is valid JSON. */
export interface FoundObject {
  readonly value: Readonly<Record<string, unknown>>;
  readonly repairs: readonly SyntaxRepair[];
  /** Position of the opening brace. */
  readonly start: number;
  /** Position after the closing brace. */
  readonly end: number;
}

/** Parse result from one opening brace. */
export interface ObjectReading {
  /** `cut` if the text ended inside; `failed` if it is not an object, or is ambiguous. */
  readonly status: 'complete' | 'cut' | 'failed';
  /** The object, unless parsing failed. */
  readonly found: FoundObject | undefined;
  /**
   * True if the text after the brace is that of an object: a quoted key, or a bare key with a text or
   * another simple value. A brace in prose is not.
   */
  readonly isBegun: boolean;
  /** Position after the closing brace, or where parsing stopped. */
  readonly end: number;
}

interface Frame {
  readonly container: Record<string, unknown> | unknown[];
  key: string;
  expects: 'key' | 'value' | 'after';
  isAfterComma: boolean;
}

const SPACE = /\s+/y;
const COMMENT = /\/\/[^\n]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])/y;
const WORD = /[A-Za-z_]\w{0,60}/y;
const LITERALS: ReadonlyMap<string, boolean | null> = new Map(
  /* @__PURE__ */ Object.entries({
    true: true,
    false: false,
    null: null,
    True: true,
    False: false,
    None: null,
  }),
);

/**
 * Parses the object whose opening brace is at `start`.
 *
 * @param keptWhenCut - the field whose beginning is kept if the text ends in it
 */
export function readJsonObject(text: string, start: number, keptWhenCut?: string): ObjectReading {
  return new ObjectReader(text, start, keptWhenCut).read();
}

class ObjectReader {
  readonly #text: string;
  readonly #start: number;
  readonly #frames: Frame[] = [];
  readonly #repairs: SyntaxRepair[] = [];
  readonly #keptWhenCut: string | undefined;
  readonly #root: Record<string, unknown> = {};
  #isBegun = false;
  #at: number;

  constructor(text: string, start: number, keptWhenCut: string | undefined) {
    this.#text = text;
    this.#start = start;
    this.#keptWhenCut = keptWhenCut;
    this.#at = start;
  }

  read(): ObjectReading {
    this.#open(this.#root);
    for (let frame = this.#frames.at(-1); frame !== undefined; frame = this.#frames.at(-1)) {
      this.#skipSpace();
      const isAtEnd = this.#at >= this.#text.length;
      const status = isAtEnd ? 'cut' : this.#step(frame, this.#text.charAt(this.#at));
      if (status === 'cut') this.#repairs.push('cut-off');
      if (status !== undefined) return this.#end(status);
    }
    return this.#end('complete');
  }

  #step(frame: Frame, char: string): ObjectReading['status'] | undefined {
    if (
      char === (Array.isArray(frame.container) ? ']' : '}') &&
      (frame.expects !== 'value' || Array.isArray(frame.container))
    ) {
      return this.#close(frame);
    }
    if (frame.expects === 'after') return this.#readSeparator(frame, char);
    return frame.expects === 'key' ? this.#readKey(frame, char) : this.#readValue(frame, char);
  }

  #open(container: Frame['container']): void {
    const expects = Array.isArray(container) ? 'value' : 'key';
    this.#frames.push({ container, key: '', expects, isAfterComma: false });
    this.#at += 1;
  }

  #close(frame: Frame): undefined {
    if (frame.isAfterComma) this.#repairs.push('trailing-comma');
    this.#at += 1;
    this.#frames.pop();
    return undefined;
  }

  #readSeparator(frame: Frame, char: string): 'failed' | undefined {
    frame.expects = Array.isArray(frame.container) ? 'value' : 'key';
    frame.isAfterComma = char === ',';
    if (char === ',') this.#at += 1;
    else if (frame.expects === 'key' && opensString(char)) this.#repairs.push('missing-comma');
    else return 'failed';
    return undefined;
  }

  #readKey(frame: Frame, char: string): 'cut' | 'failed' | undefined {
    if (opensString(char)) {
      this.#isBegun ||= this.#frames.length === 1;
      const key = readString(this.#text, this.#at, 'key');
      this.#at = key.end;
      if (key.status !== 'complete') return key.status;
      this.#repairs.push(...key.repairs);
      frame.key = key.value;
    } else {
      const word = this.#take(WORD);
      if (word === undefined) return 'failed';
      this.#repairs.push('bare-key');
      frame.key = word;
    }
    this.#skipSpace();
    if (this.#at >= this.#text.length) return 'cut';
    if (this.#text.charAt(this.#at) !== ':') return 'failed';
    this.#at += 1;
    frame.expects = 'value';
    frame.isAfterComma = false;
    return undefined;
  }

  #readValue(frame: Frame, char: string): 'cut' | 'failed' | undefined {
    if (char === '{' || char === '[') {
      const container = char === '{' ? {} : [];
      this.#put(frame, container);
      this.#open(container);
      return undefined;
    }
    if (opensString(char)) return this.#readStringValue(frame);
    const number = this.#take(NUMBER);
    if (number === undefined) return this.#readLiteral(frame);
    // Further digits can be missing.
    if (this.#at >= this.#text.length) return 'cut';
    this.#put(frame, Number(number));
    return undefined;
  }

  #readStringValue(frame: Frame): 'cut' | 'failed' | undefined {
    this.#isBegun ||= this.#frames.length === 1;
    const isWords = !Array.isArray(frame.container) && frame.key !== 'kind';
    const string = readString(this.#text, this.#at, isWords ? 'words' : 'value');
    this.#at = string.end;
    if (string.status === 'failed') return 'failed';
    this.#repairs.push(...string.repairs);
    if (string.status === 'complete' || frame.key === this.#keptWhenCut) this.#put(frame, string.value);
    return string.status === 'cut' ? 'cut' : undefined;
  }

  #readLiteral(frame: Frame): 'cut' | 'failed' | undefined {
    const word = this.#take(WORD) ?? '';
    const literal = LITERALS.get(word);
    if (literal === undefined) return this.#at >= this.#text.length ? 'cut' : 'failed';
    if (/^[A-Z]/u.test(word)) this.#repairs.push('python-literal');
    this.#put(frame, literal);
    return undefined;
  }

  #put(frame: Frame, value: unknown): void {
    frame.expects = 'after';
    frame.isAfterComma = false;
    this.#isBegun ||= typeof value !== 'object' && this.#frames.length === 1;
    if (Array.isArray(frame.container)) frame.container.push(value);
    else setOwn(frame.container, frame.key, value);
  }

  #skipSpace(): void {
    this.#take(SPACE);
    while (this.#take(COMMENT) !== undefined) {
      this.#repairs.push('comment');
      this.#take(SPACE);
    }
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const taken = pattern.exec(this.#text)?.[0];
    this.#at += taken?.length ?? 0;
    return taken;
  }

  #end(status: ObjectReading['status']): ObjectReading {
    const place = { start: this.#start, end: this.#at };
    const found = { value: this.#root, repairs: [...new Set(this.#repairs)], ...place };
    return { status, found: status === 'failed' ? undefined : found, isBegun: this.#isBegun, end: this.#at };
  }
}
