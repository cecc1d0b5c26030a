/** Check for unknown options: a mistyped option that is ignored would seem to work. Pure. */
import { cut, describeValue } from '../kit/describe-value.ts';
import { UsageError, type UsageErrorCode } from '../errors/usage-error.ts';
import { suggest } from './suggest.ts';

/**
 * Names of all options of an interface, complete by its type. A type with several forms has
 * the options of each.
 */
export type OptionNames<TOptions> = Readonly<Record<KeysOf<TOptions>, true>>;

type KeysOf<TOptions> = TOptions extends unknown ? keyof TOptions : never;

export interface KnownOptionsContext {
  /** What takes the options, in messages, such as `` `run()` `` or `` `logging` ``. */
  readonly of: string;
  readonly names: Readonly<Record<string, true>>;
  /** Further names that are accepted. No message lists them. */
  readonly unlisted?: readonly string[];
  /** New places of options that have moved, by their old names. */
  readonly moved?: Readonly<Record<string, string>>;
  /** Where other options belong, as a sentence. */
  readonly hint?: string;
  /** @default 'invalid-option' */
  readonly code?: UsageErrorCode;
}

/** Names in older texts, and the words that replaced them (ADR 0203). */
const RENAMED: Readonly<Record<string, string>> = {
  maxRetries: 'maxCorrections',
  message: 'prompt',
  onPartialOutput: 'onPartial',
  isReadOnly: 'readOnlyHint',
  isIdempotent: 'idempotentHint',
  route: 'mode',
  via: 'mode',
};

/**
 * Rejects options that are not an object, and names that are not options.
 *
 * @throws UsageError that names the option, with a suggestion
 */
export function assertKnownOptions(
  options: unknown,
  { of, names, unlisted, moved = {}, hint, code = 'invalid-option' }: KnownOptionsContext,
): asserts options is object {
  const known = Object.keys(names);
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw new UsageError(
      `Expected an object of options for ${of}, got ${describeValue(options)}. ${hint ?? `Options of ${of} are ${known.join(', ')}.`}`,
      { code },
    );
  }
  const other = Object.keys(options).find(
    (name) => !Object.hasOwn(names, name) && unlisted?.includes(name) !== true,
  );
  if (other === undefined) return;
  const next =
    (Object.hasOwn(moved, other) ? placeOf(other, moved) : undefined) ??
    suggestNow(other, known) ??
    placeOf(other, moved) ??
    `Remove it, or use one of ${known.join(', ')}.`;
  throw new UsageError(
    `Expected only known options of ${of}, got \`${cut(other)}\`. ${hint === undefined ? next : `${next} ${hint}`}`,
    { code },
  );
}

/** Suggests the new place of an option that has moved, also for a mistyped one. */
function placeOf(word: string, moved: Readonly<Record<string, string>>): string | undefined {
  const renamed = Object.entries(RENAMED).map(([old, name]): [string, string] => [old, moved[name] ?? '']);
  const places = new Map([...renamed.filter(([, place]) => place !== ''), ...Object.entries(moved)]);
  const near = /`(\w+)`/u.exec(suggest(word, [...places.keys()]) ?? '')?.[1] ?? '';
  const place = places.get(word) ?? places.get(near);
  return place === undefined ? undefined : `Write \`${place}\`.`;
}

/** Suggests the new word for a replaced name, also for a mistyped one. */
function suggestNow(word: string, known: readonly string[]): string | undefined {
  const replaced = Object.entries(RENAMED).filter(([, name]) => known.includes(name));
  const said = suggest(word, [...known, ...replaced.map(([old]) => old)]);
  return said?.replace(/(?<=`)\w+(?=`)/u, (name) => new Map(replaced).get(name) ?? name);
}

/** Returns `got` with an unknown word, and the nearest known one if there is one, for a message. */
export function gotUnknown(word: string, known: readonly string[]): string {
  const suggestion = suggest(word, known);
  const got = `got \`${cut(word)}\`.`;
  return suggestion === undefined ? got : `${got} ${suggestion}`;
}
