/** Reads a told type back as a JSON Schema: what a model of the mock needs to write an answer. Pure. */
import { parseJson } from '@truecast/core/internal/json/parse-json';
import { withNote } from './note-keywords.ts';
import { typeTokens, type TypeToken } from './type-tokens.ts';

type Keywords = Readonly<Record<string, unknown>>;

/** Deeper types are not read. */
const MAX_DEPTH = 200;

/** Returns the schema of the type that a text begins with, or undefined if it begins with none. */
export function readToldType(text: string): Keywords | undefined {
  try {
    return new TypeReader(typeTokens(text)).document();
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

const TYPES: Readonly<Record<string, Keywords>> = {
  string: { type: 'string' },
  number: { type: 'number' },
  boolean: { type: 'boolean' },
  null: { type: 'null' },
  true: { const: true },
  false: { const: false },
  unknown: {},
  never: { not: {} },
};

function valueOf(text: string): unknown {
  const parsed = parseJson(text);
  if (!parsed.success) throw new SyntaxError(parsed.reason);
  return parsed.value;
}

class TypeReader {
  readonly #tokens: readonly TypeToken[];
  /** Names that a part refers to. */
  readonly #named = new Set<string>();
  #at = 0;
  #depth = 0;

  constructor(tokens: readonly TypeToken[]) {
    this.#tokens = tokens;
  }

  document(): Keywords {
    const note = this.#noteAhead();
    const first = this.#declaration();
    const root = withNote(first.schema, note);
    const definitions: Record<string, Keywords> = {};
    for (;;) {
      const start = this.#at;
      const words = this.#noteAhead();
      if (!this.#isAhead('type')) {
        this.#at = start;
        break;
      }
      const { name, schema } = this.#declaration();
      definitions[name] = withNote(schema, words);
    }
    if (first.name !== '') definitions[first.name] = root;
    const missing = [...this.#named].find((name) => !Object.hasOwn(definitions, name));
    if (missing !== undefined) throw new SyntaxError(`Expected a type ${missing}.`);
    return Object.keys(definitions).length === 0 ? root : { ...root, $defs: definitions };
  }

  #declaration(): { readonly name: string; readonly schema: Keywords } {
    if (!this.#take('type')) return { name: '', schema: this.#union() };
    const name = this.#next().text;
    this.#expect('=');
    return { name, schema: this.#union() };
  }

  #union(): Keywords {
    const parts = [this.#intersection()];
    while (this.#take('|')) parts.push(this.#intersection());
    const [only] = parts;
    return parts.length === 1 && only !== undefined ? only : { anyOf: parts };
  }

  #intersection(): Keywords {
    const parts = [this.#noted()];
    while (this.#take('&')) parts.push(this.#noted());
    const [only] = parts;
    return parts.length === 1 && only !== undefined ? only : { allOf: parts };
  }

  /** A comment between slashes and stars is about the part before it. */
  #noted(): Keywords {
    let part = this.#part();
    while (this.#isAhead('[') && this.#tokens[this.#at + 1]?.text === ']') {
      this.#at += 2;
      part = { type: 'array', items: part };
    }
    const token = this.#tokens[this.#at];
    if (token?.kind !== 'note' || token.isFirst || token.isLine) return part;
    this.#at += 1;
    return withNote(part, token.text);
  }

  #part(): Keywords {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) throw new SyntaxError('Expected a flatter type.');
    const token = this.#next();
    const part = this.#partOf(token);
    this.#depth -= 1;
    return part;
  }

  #partOf({ kind, text }: TypeToken): Keywords {
    if (kind === 'value') return { const: valueOf(text) };
    if (kind === 'word') return this.#word(text);
    if (text === '{') return this.#object();
    if (text === '[') return this.#tuple();
    if (text !== '(') throw new SyntaxError(`Expected a type, got ${text}.`);
    const inner = this.#union();
    this.#expect(')');
    return inner;
  }

  #word(text: string): Keywords {
    if (Object.hasOwn(TYPES, text)) return TYPES[text] ?? {};
    this.#named.add(text);
    return { $ref: `#/$defs/${text}` };
  }

  #tuple(): Keywords {
    const prefixItems: Keywords[] = [];
    let items: Keywords | false = false;
    while (!this.#take(']')) {
      if (this.#take('...')) items = (this.#union()['items'] ?? {}) as Keywords;
      else prefixItems.push(this.#union());
      this.#take(',');
    }
    return { type: 'array', prefixItems, items, minItems: prefixItems.length };
  }

  #object(): Keywords {
    const properties: Record<string, Keywords> = {};
    const required: string[] = [];
    let rest: Keywords | false = false;
    while (!this.#take('}')) {
      const before = this.#noteAhead();
      const name = this.#take('[') ? this.#keys() : this.#name();
      const isOptional = this.#take('?');
      this.#expect(':');
      const member = withNote(this.#union(), before);
      this.#take(',');
      const schema = withNote(member, this.#noteBehind());
      if (name === undefined) rest = schema;
      else {
        properties[name] = schema;
        if (!isOptional) required.push(name);
      }
    }
    return { type: 'object', properties, required, additionalProperties: rest };
  }

  #name(): string {
    const { kind, text } = this.#next();
    const name = kind === 'value' ? valueOf(text) : undefined;
    if (typeof name !== 'string') throw new SyntaxError(`Expected a name, got ${text}.`);
    return name;
  }

  /** Keys without names: an answer can leave them out. */
  #keys(): undefined {
    while (!this.#take(']')) {
      this.#next();
      if (this.#isAhead('[')) this.#next();
    }
    return undefined;
  }

  #noteAhead(): string {
    const token = this.#tokens[this.#at];
    if (token?.kind !== 'note' || !token.isFirst) return '';
    this.#at += 1;
    return token.text;
  }

  #noteBehind(): string {
    const token = this.#tokens[this.#at];
    if (token?.kind !== 'note' || token.isFirst) return '';
    this.#at += 1;
    return token.text;
  }

  #isAhead(text: string): boolean {
    const token = this.#tokens[this.#at];
    return token?.text === text && (token.kind === 'sign' || token.kind === 'word');
  }

  #take(text: string): boolean {
    const isAhead = this.#isAhead(text);
    if (isAhead) this.#at += 1;
    return isAhead;
  }

  #expect(text: string): void {
    if (!this.#take(text)) throw new SyntaxError(`Expected ${text}.`);
  }

  #next(): TypeToken {
    const token = this.#tokens[this.#at];
    if (token === undefined) throw new SyntaxError('Expected more of the type.');
    this.#at += 1;
    return token;
  }
}
