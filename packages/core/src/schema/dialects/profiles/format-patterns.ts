/**
 * Patterns of formats, for engines that know a pattern and not the format. Each holds the common spellings,
 * within lengths that a value has. Pure.
 */
import type { TurnBounds } from '../../pattern/portable/bounded-form.ts';

const DATE = '[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])';
const TIME =
  '([01][0-9]|2[0-3]):[0-5][0-9]:([0-5][0-9]|60)([.][0-9]{1,9})?([Zz]|[+-]([01][0-9]|2[0-3]):[0-5][0-9])';
const NUMBER = '[0-9]{1,10}';
const DAYS = `(${NUMBER}Y(${NUMBER}M(${NUMBER}D)?)?|${NUMBER}M(${NUMBER}D)?|${NUMBER}D)`;
const HOURS = `T(${NUMBER}H(${NUMBER}M(${NUMBER}S)?)?|${NUMBER}M(${NUMBER}S)?|${NUMBER}S)`;
const LABEL = '[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?';
const HOST = `${LABEL}([.]${LABEL}){0,20}`;
const ATOM = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]{1,64}";
const OCTET = '(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])';
const IPV4 = `${OCTET}([.]${OCTET}){3}`;
const HEXADECIMAL = '[0-9A-Fa-f]';

/** Patterns by the name of the format. Formats of other names are only annotations for an engine. */
export const FORMAT_PATTERNS: ReadonlyMap<string, string> = new Map([
  ['date', `^${DATE}$`],
  ['time', `^${TIME}$`],
  ['date-time', `^${DATE}[Tt]${TIME}$`],
  ['duration', `^P(${NUMBER}W|${DAYS}(${HOURS})?|${HOURS})$`],
  ['email', `^${ATOM}([.]${ATOM}){0,8}@${HOST}$`],
  ['hostname', `^${HOST}$`],
  ['ipv4', `^${IPV4}$`],
  ['ipv6', `^(${HEXADECIMAL}{0,4}:){2,8}(${HEXADECIMAL}{0,4}|${IPV4})$`],
  ['uri', "^[A-Za-z][A-Za-z0-9+.-]{0,30}:[A-Za-z0-9._~:/?#[\\]@!$&'()*+,;=%-]{1,2000}$"],
  ['uuid', `^${HEXADECIMAL}{8}-${HEXADECIMAL}{4}-${HEXADECIMAL}{4}-${HEXADECIMAL}{4}-${HEXADECIMAL}{12}$`],
]);

/** Characters of a name of the mail system, without the last one, and of a part of a domain (RFC 5321, 1035). */
const LABEL_TURNS = 63;
/** Parts of a name and of a domain. More are allowed, and no mail has them. */
const LABELS = 8;
/** Digits of a number of a date or a time. */
const DIGITS: TurnBounds = { characters: 10, groups: 1 };

/**
 * Ends of the repeats of a caller's pattern beside a format. Libraries write most of them without a limit,
 * and a small model repeats until its limit of tokens. A value beyond an end is still accepted.
 */
export const FORMAT_TURNS: ReadonlyMap<string, TurnBounds> = new Map([
  ['email', { characters: LABEL_TURNS, groups: LABELS }],
  ['hostname', { characters: LABEL_TURNS, groups: 20 }],
  ['date-time', DIGITS],
  ['time', DIGITS],
  ['duration', DIGITS],
]);
