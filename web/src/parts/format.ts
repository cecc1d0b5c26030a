/** Formats of numbers and times. Pure. Callers pass the clock. */

const NUMBERS = new Intl.NumberFormat('en');
const CENTS = new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const CLOCK = new Intl.DateTimeFormat('en', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hour12: false,
});
const DATE = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' });

/** `1,204`. */
export function countText(value: number): string {
  return NUMBERS.format(value);
}

/** `1 attempt`, `2 attempts`. */
export function plural(value: number, noun: string): string {
  return `${countText(value)} ${noun}${value === 1 ? '' : 's'}`;
}

/** Shorter times are in milliseconds. */
const MIN_TENTH_MS = 50;

/** `12 ms`, `0.3 s`, `41 s`, `2 min`. */
export function duration(ms: number): string {
  if (ms < MIN_TENTH_MS) return `${Math.round(ms)} ms`;
  const seconds = ms / 1_000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  return seconds < 120 ? `${Math.round(seconds)} s` : `${Math.round(seconds / 60)} min`;
}

/** Size of a text in UTF-8: `812 B`, `2.1 kB`, `64 kB`. */
export function byteSize(text: string): string {
  return sizeText(new Blob([text]).size);
}

/** `812 B`, `2.1 kB`, `64 kB`. */
export function sizeText(size: number): string {
  if (size < 1_000) return `${size} B`;
  return `${size < 10_000 ? (size / 1_000).toFixed(1) : countText(Math.round(size / 1_000))} kB`;
}

/** Dollars with cents, or with two significant digits below a dollar. */
export function money(dollars: number): string {
  if (dollars >= 1) return `$${CENTS.format(dollars)}`;
  return dollars === 0 ? '$0' : `$${Number(dollars.toPrecision(2))}`;
}

/** `12:04:31`. */
export function clockTime(iso: string): string {
  return CLOCK.format(new Date(iso));
}

/** Date and time for a title. */
export function exactTime(iso: string): string {
  return DATE.format(new Date(iso));
}

/** `0:42`, `4:59`, `1:02:03`. Undefined after the deadline. */
export function remainingTime(iso: string, nowMs: number): string | undefined {
  const seconds = Math.ceil((Date.parse(iso) - nowMs) / 1_000);
  if (!(seconds > 0)) return undefined;
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60];
  const parts = hours > 0 ? [hours, twoDigits(minutes)] : [minutes];
  return [...parts, twoDigits(seconds % 60)].join(':');
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}

const UNITS: readonly (readonly [string, number])[] = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
];

/** `2 min ago`. */
export function relativeTime(iso: string, nowMs: number): string {
  const seconds = Math.max(0, (nowMs - Date.parse(iso)) / 1_000);
  const unit = UNITS.find(([, length]) => seconds >= length);
  if (unit === undefined) return seconds < 10 ? 'just now' : `${Math.round(seconds)} s ago`;
  return `${Math.floor(seconds / unit[1])} ${unit[0]} ago`;
}
