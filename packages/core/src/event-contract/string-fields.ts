/** String fields of an event: its text and its extra fields, both with a maximum length. Pure. */
import { isRecord } from '../kit/is-record.ts';
import { PLACE } from '../schema/told/told-text.ts';
import { accept, pick, reject, type EventField, type FieldReading } from './event-field.ts';

/** Maximum length of a string that a model writes: a long paragraph, far above two sentences. */
const MAX_TEXT_CHARS = 1_000;
/** Placeholder in the prompt for a text that the model writes. */
export const PLACEHOLDER = '...';

const EXAMPLE_TEXT = 'A paper lantern drifts over the frozen harbour, and nobody claims it.';
const EXAMPLE_EXTRA = 'a few words';

/** The entries of a text, between semicolons. */
function listOf(text: string): readonly string[] {
  return text.trim().split(/;\s+/u);
}

/** Parts of the stub's texts: 2,048 of them, so that a play repeats few. */
const OPENINGS = /* @__PURE__ */ listOf(`
  Under the pier; By the last lamp; Past the orchard wall; Above the dry canal; Behind the bakery;
  Along the tram rails; At the turn of the stairs; Beside the stopped clock; In the reading room;
  Below the signal box; Between two ferries; Outside the print shop; On the lower quay;
  Near the glass roof; Across the coal yard; Inside the lock house`);
const HAPPENINGS = /* @__PURE__ */ listOf(`
  a kettle starts to hum in two keys; someone has swept the stairs twice; the tide returns a single glove;
  a bell rings before it is struck; three letters wait without a stamp; the rain stops at one window;
  a ladder leans against no wall; the gulls have learned a name; a door opens onto another door;
  the ink runs uphill; an umbrella walks home alone; the piano keeps one wrong note;
  a map shows the room it lies in; the bread is warm from no oven; a shadow arrives before its owner;
  the key fits every lock but one`);
const REACTIONS = /* @__PURE__ */ listOf(`
  nobody asks why; a child laughs; the dog moves away; the lamp goes out; a bet is lost;
  the door stays open; the price goes up; the dust settles`);
const STUB_WORDS = ['calm', 'curious', 'restless', 'hopeful'];

/** Returns the field `text`. `maxChars` is absent for the default maximum. */
export function textField(maxChars: number | undefined): EventField {
  const most = maxChars ?? MAX_TEXT_CHARS;
  const limit = maxChars === undefined ? '' : ` At most ${maxChars} characters.`;
  return {
    name: 'text',
    hint: PLACEHOLDER,
    rule: `text must be one or two sentences, vivid and specific.${limit}`,
    example: EXAMPLE_TEXT,
    jsonSchema: { type: 'string', minLength: 1, maxLength: most },
    stub: (choice) => stubText(choice).slice(0, most),
    read: (value) => {
      if (value === undefined) return reject('field-missing', 'a text', value);
      const said = textIn(value);
      if (said === undefined) return reject('wrong-type', 'a text', value);
      if (INVISIBLE.test(said)) return reject('text-empty', 'a non-empty string', value);
      if (isEcho(said, EXAMPLE_TEXT)) return rejectEcho(said);
      const reading = shorten(said, most);
      if (said === value) return reading;
      return { ...reading, repairs: [{ kind: 'opened-wrapper', path: [] }, ...(reading.repairs ?? [])] };
    },
  };
}

/** Spaces, and characters without a shape. A line of them says nothing. */
const INVISIBLE = /^[\s\p{Default_Ignorable_Code_Point}\p{Cf}\u2800]*$/u;
const TEXT_KEYS = ['text', 'content', 'value', 'message'];

/** Returns a text, or the one text in an object. */
function textIn(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (!isRecord(value)) return undefined;
  const texts = TEXT_KEYS.flatMap((key): string[] => {
    const text = Object.hasOwn(value, key) ? value[key] : undefined;
    return typeof text === 'string' ? [text] : [];
  });
  return texts.length === 1 ? texts[0] : undefined;
}

function stubText(choice: number): string {
  return `${pick(OPENINGS, choice)} ${pick(HAPPENINGS, choice >>> 8)}, and ${pick(REACTIONS, choice >>> 16)}.`;
}

/** Returns an extra field: a required string. */
export function stringField(name: string, maxChars: number = MAX_TEXT_CHARS): EventField {
  return {
    name,
    hint: PLACEHOLDER,
    example: EXAMPLE_EXTRA,
    jsonSchema: { type: 'string', maxLength: maxChars },
    stub: (choice) => pick(STUB_WORDS, choice).slice(0, maxChars),
    read: (value) => {
      if (value === undefined) return reject('field-missing', 'a string', value);
      if (typeof value !== 'string') return reject('wrong-type', 'a string', value);
      return isEcho(value, EXAMPLE_EXTRA) ? rejectEcho(value) : shorten(value, maxChars);
    },
  };
}

function isEcho(value: string, example: string): boolean {
  return [PLACEHOLDER, PLACE, example].includes(value.trim());
}

function rejectEcho(value: string): FieldReading {
  return reject('text-echo', 'its own text, not the text of the prompt', value);
}

/** A model that repeats itself without end would fill every prompt after it. */
function shorten(value: string, maxChars: number): FieldReading {
  if (isWithin(value, maxChars)) return accept(value);
  const kept = Array.from(value.slice(0, 2 * maxChars))
    .slice(0, maxChars - 1)
    .join('');
  const expected = `at most ${maxChars} characters`;
  return { value: `${kept.trimEnd()}…`, faults: [], repairs: [{ kind: 'shortened', path: [], expected }] };
}

/** Counts code points, as JSON Schema does. */
function isWithin(value: string, maxChars: number): boolean {
  if (value.length <= maxChars) return true;
  return value.length <= 2 * maxChars && Array.from(value).length <= maxChars;
}
