/**
 * Patterns of formats, for engines that know a pattern and not the format. Each holds the common spellings,
 * within lengths that a value has. Pure.
 */
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
