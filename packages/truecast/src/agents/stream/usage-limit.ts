/** Rate and usage limits of model services, recognized in an agent's error. Pure. */

/** The fields of an agent's error that describe a limit. */
export interface LimitSource {
  readonly message: string;
  readonly statusCode?: number;
  /** Set if the CLI reported when the limit resets. Takes precedence over the message. */
  readonly resetsAt?: Date;
}

/** A limit that resets by itself. */
export interface UsageLimit {
  /** Absent if the agent did not report it. */
  readonly resetsAt?: Date;
}

const TOO_MANY_REQUESTS = 429;
const LIMIT =
  /\b(?:usage|rate|session|weekly|daily) limit\b|\brate[_ -]?limit|\bhit your (?:\w+ )?limit|too many requests|resource[_ ]exhausted/iu;
/** Waiting does not help: the account has no credit. */
const UNPAID =
  /insufficient_quota|insufficient (?:credit|balance|fund)|credit balance|check your plan|spend limit|billing/iu;

/** Returns the limit that an error describes. Undefined for every other error. */
export function readUsageLimit(error: LimitSource, now: Date): UsageLimit | undefined {
  const { message, statusCode } = error;
  if (statusCode !== TOO_MANY_REQUESTS && !(statusCode === undefined && LIMIT.test(message))) {
    return undefined;
  }
  const resetsAt = error.resetsAt ?? readResetTime(message, now);
  if (resetsAt !== undefined) return { resetsAt };
  return UNPAID.test(message) ? undefined : {};
}

/** Reads the time at which a limit resets from the message of an agent CLI. */
export function readResetTime(message: string, now: Date): Date | undefined {
  return readEpoch(message) ?? readDelay(message, now) ?? readClockTime(message, now);
}

/** `Claude AI usage limit reached|1795230760` */
function readEpoch(message: string): Date | undefined {
  const [, seconds] = /\|(\d{10})\b/u.exec(message) ?? [];
  return seconds === undefined ? undefined : new Date(Number(seconds) * 1000);
}

const UNIT_MS: Readonly<Record<string, number>> = {
  d: 86_400_000,
  h: 3_600_000,
  m: 60_000,
  s: 1000,
  ms: 1,
};
const AMOUNT = String.raw`(\d+(?:\.\d+)?)\s*(days?|d|hours?|hrs?|h|minutes?|mins?|milliseconds?|ms|m|seconds?|secs?|s)\b`;
const DELAY = new RegExp(
  String.raw`\b(?:again|retry|retrying|resets?|wait)\b[^\d]{0,16}?\b(?:in|for|after)\s+((?:${AMOUNT}[\s,]*(?:and\s+)?)+)`,
  'iu',
);
const RETRY_AFTER = /retry[- _]after(?:["']?\s*[:=]\s*["']?|\s+)(\d+(?:\.\d+)?)\b(?!\s*(?:m|h|d))/iu;

/** `try again in 3 hours 42 minutes`, `Please retry in 34.07s`, `retry-after: 30` */
function readDelay(message: string, now: Date): Date | undefined {
  const [, amounts] = DELAY.exec(message.slice(0, MESSAGE_CHARS)) ?? [];
  const [, seconds] = RETRY_AFTER.exec(message) ?? [];
  if (amounts === undefined) {
    return seconds === undefined ? undefined : new Date(now.getTime() + Number(seconds) * 1000);
  }
  let total = 0;
  for (const [, amount, unit = ''] of amounts.matchAll(new RegExp(AMOUNT, 'giu'))) {
    total += Number(amount) * (UNIT_MS[unitOf(unit)] ?? 0);
  }
  return new Date(now.getTime() + total);
}

/** Limits the search in the agent's text. */
const MESSAGE_CHARS = 2000;

function unitOf(word: string): string {
  const unit = word.toLowerCase();
  return unit === 'ms' || unit.startsWith('milli') ? 'ms' : unit.charAt(0);
}

const CLOCK_TIME =
  /\b(?:resets?|again)(?:\s+at)?\s+(\d{1,2})(?::(\d{2}))?\s*([ap])\.?m\b\.?(?:\s*\(([A-Za-z_]+(?:\/[A-Za-z_+\-0-9]+)*)\))?/iu;
const MINUTE_MS = 60_000;
const MINUTES_OF_DAY = 24 * 60;

/** `resets 3pm (Europe/Berlin)`, `try again at 3:42 PM`: the next such time after `now`. */
function readClockTime(message: string, now: Date): Date | undefined {
  const [, hour, minute = '0', half = '', zone] = CLOCK_TIME.exec(message) ?? [];
  if (hour === undefined) return undefined;
  const wanted = ((Number(hour) % 12) + (half.toLowerCase() === 'p' ? 12 : 0)) * 60 + Number(minute);
  const current = minuteOfDay(now, zone);
  const ahead = (wanted - current + MINUTES_OF_DAY) % MINUTES_OF_DAY || MINUTES_OF_DAY;
  return new Date(Math.floor(now.getTime() / MINUTE_MS) * MINUTE_MS + ahead * MINUTE_MS);
}

function minuteOfDay(now: Date, zone: string | undefined): number {
  const options = { hour: 'numeric', minute: 'numeric', hourCycle: 'h23' } as const;
  const parts = formatOf(zone, options).formatToParts(now);
  const read = (type: string): number => Number(parts.find((part) => part.type === type)?.value);
  return read('hour') * 60 + read('minute');
}

/** For an unknown time zone, the host's is used. */
function formatOf(timeZone: string | undefined, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('en', { ...options, ...(timeZone !== undefined && { timeZone }) });
  } catch {
    return new Intl.DateTimeFormat('en', options);
  }
}
