/**
 * Tolerant parser for one JSON object from its opening brace: iterative, with labelled repairs.
 * Pure.
 */
import { isWellKnownField } from './event-fields.ts';
import type { EventRepairKind } from './event-result.ts';
import { opensString, readString } from './read-string.ts';

/** An object and the repairs that its parsing needed. Without repairs it is valid JSON. */
export interface ParsedObject {
  readonly value: Readonly<Record<string, unknown>>;
  readonly repairs: readonly EventRepairKind[];
}

/** An object and its place in the text. */
export interface FoundObject extends ParsedObject {
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
  /** Complete inner objects, if the object itself cannot be parsed. */
  readonly inside: readonly FoundObject[];
  /**
   * Positions of structural braces and the ends of their objects. Parsing from them again would
   * give nothing new.
   */
  readonly braces: ReadonlyMap<number, number | undefined>;
  /** Position after the closing brace, or where parsing stopped. */
  readonly end: number;
}

interface Frame {
  readonly container: Record<string, unknown> | unknown[];
  readonly start: number;
  /** Number of repairs at its start. */
  readonly repairsBefore: number;
  key: string;
  expects: 'key' | 'value' | 'after';
  isAfterComma: boolean;
}

const SPACE = /\s+/y;
const COMMENT = /\/\/[^\n]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])/y;
const WORD = /[A-Za-z_]\w{0,60}/y;
const LITERALS: ReadonlyMap<string, boolean | null> = new Map([
  ['true', true],
  ['false', false],
  ['null', null],
  ['True', true],
  ['False', false],
  ['None', null],
]);
/**
 * The only field whose truncated value is useful. A part of any other value is a different value.
 */
const KEPT_WHEN_CUT = 'text';

/** Parses the object whose opening brace is at `start`. */
export function readObject(text: string, start: number): ObjectReading {
  return new ObjectReader(text, start).read();
}

class ObjectReader {
  readonly #text: string;
  readonly #start: number;
  readonly #frames: Frame[] = [];
  readonly #repairs: EventRepairKind[] = [];
  readonly #inside: FoundObject[] = [];
  readonly #braces = new Map<number, number | undefined>();
  #root: Record<string, unknown> = {};
  #at: number;

  constructor(text: string, start: number) {
    this.#text = text;
    this.#start = start;
    this.#at = start;
  }

  read(): ObjectReading {
    this.#open(this.#root);
    for (let frame = this.#frames.at(-1); frame !== undefined; frame = this.#frames.at(-1)) {
      this.#skipSpace();
      if (this.#at >= this.#text.length) return this.#endCut();
      const status = this.#step(frame, this.#text.charAt(this.#at));
      if (status === 'cut') return this.#endCut();
      if (status === 'failed') return this.#end('failed');
    }
    return this.#end('complete');
  }

  #step(frame: Frame, char: string): ObjectReading['status'] | undefined {
    if (char === (Array.isArray(frame.container) ? ']' : '}') && mayClose(frame)) return this.#close(frame);
    if (frame.expects === 'after') return this.#readSeparator(frame, char);
    return frame.expects === 'key' ? this.#readKey(frame, char) : this.#readValue(frame, char);
  }

  #open(container: Frame['container']): void {
    const expects = Array.isArray(container) ? 'value' : 'key';
    if (expects === 'key') this.#braces.set(this.#at, undefined);
    this.#frames.push({
      container,
      start: this.#at,
      repairsBefore: this.#repairs.length,
      key: '',
      expects,
      isAfterComma: false,
    });
    this.#at += 1;
  }

  #close(frame: Frame): undefined {
    if (frame.isAfterComma) this.#repairs.push('trailing-comma');
    this.#at += 1;
    this.#frames.pop();
    if (Array.isArray(frame.container)) return undefined;
    this.#braces.set(frame.start, this.#at);
    const parent = this.#frames.at(-1);
    if (parent !== undefined && !isWellKnownField(parent.key))
      this.#inside.push({
        value: frame.container,
        repairs: this.#repairs.slice(frame.repairsBefore),
        start: frame.start,
        end: this.#at,
      });
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
    const isWords = !Array.isArray(frame.container) && frame.key !== 'kind';
    const string = readString(this.#text, this.#at, isWords ? 'words' : 'value');
    this.#at = string.end;
    if (string.status === 'failed') return 'failed';
    this.#repairs.push(...string.repairs);
    if (string.status === 'complete' || frame.key === KEPT_WHEN_CUT) this.#put(frame, string.value);
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

  #endCut(): ObjectReading {
    this.#repairs.push('cut-off');
    return this.#end('cut');
  }

  #end(status: ObjectReading['status']): ObjectReading {
    const place = { start: this.#start, end: this.#at };
    const found = { value: this.#root, repairs: [...new Set(this.#repairs)], ...place };
    const isKnown = status !== 'failed';
    // Objects inside one with its own text are its subject, not its answer.
    const inside = isKnown || Object.hasOwn(this.#root, KEPT_WHEN_CUT) ? [] : this.#inside;
    return { status, found: isKnown ? found : undefined, inside, braces: this.#braces, end: this.#at };
  }
}

function mayClose(frame: Frame): boolean {
  if (frame.expects === 'after' || frame.expects === 'key') return true;
  return Array.isArray(frame.container);
}

/** Sets a key as JSON does, also one that would otherwise reach the prototype. */
function setOwn(object: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
}
