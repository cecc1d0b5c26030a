/** Asserted formats. Pure. Every expression is linear: no part can match in two ways. */
import { parsePattern } from '../../pattern/parse-pattern.ts';

type FormatTest = (text: string) => boolean;

const DATE = /^(\d{4})-(\d\d)-(\d\d)$/;
const TIME = /^([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60)(?:\.\d+)?(?:z|([+-])([01]\d|2[0-3]):([0-5]\d))$/i;
/** RFC 3339, appendix A: units are contiguous. */
const DURATION =
  /^P(?=[\dT])(?:\d+W|(?:\d+Y(?:\d+M(?:\d+D)?)?|\d+M(?:\d+D)?|\d+D)?(?:T(?:\d+H(?:\d+M(?:\d+S)?)?|\d+M(?:\d+S)?|\d+S))?)$/;
const LOCAL_PART = /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*$/;
const QUOTED_LOCAL_PART = /^"(?:[^"\\\r\n]|\\[^\r\n])*"$/;
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i;
const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const JSON_POINTER = /^(?:\/(?:[^~/]|~[01])*)*$/;
const RELATIVE_JSON_POINTER = /^(?:0|[1-9]\d*)(?:#|(?:\/(?:[^~/]|~[01])*)*)$/;
/** Scheme, authority, path, query, fragment: the split of RFC 3986, appendix B. */
const URI_PARTS = /^(?:([^:/?#]+):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s;
const SCHEME = /^[a-z][a-z0-9+.-]*$/i;
const AUTHORITY = /^(?:[^@[\]]*@)?(?:\[([^\]]*)\]|[^:@[\]]*)(?::\d*)?$/;
const URI_CHARACTERS = /^(?:[\w.~!$&'()*+,;=:@/?-]|%[0-9a-f]{2})*$/i;

const MAX_HOST_CHARS = 253;
const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Predicates of asserted formats by name. Every other format is an annotation. */
export const FORMATS: ReadonlyMap<string, FormatTest> = new Map<string, FormatTest>([
  ['date', isDate],
  ['time', isTime],
  ['date-time', isDateTime],
  ['duration', (text) => DURATION.test(text)],
  ['email', isEmail],
  ['hostname', isHostname],
  ['ipv4', (text) => IPV4.test(text)],
  ['ipv6', isIpv6],
  ['uri', (text) => isUri(text, true)],
  ['uri-reference', (text) => isUri(text, false)],
  ['uuid', (text) => UUID.test(text)],
  ['json-pointer', (text) => JSON_POINTER.test(text)],
  ['relative-json-pointer', (text) => RELATIVE_JSON_POINTER.test(text)],
  ['regex', isPattern],
]);

function isDate(text: string): boolean {
  const match = DATE.exec(text);
  if (match === null) return false;
  const [year = 0, month = 0, day = 0] = match.slice(1).map(Number);
  const isLeapDay = month === 2 && day === 29 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return isLeapDay || (day >= 1 && day <= (DAYS[month - 1] ?? 0));
}

/** A leap second exists only at the end of a UTC day. */
function isTime(text: string): boolean {
  const match = TIME.exec(text);
  if (match === null) return false;
  const [, hour, minute, second, sign = '+', offsetHour = '0', offsetMinute = '0'] = match;
  if (second !== '60') return true;
  const offset = (Number(offsetHour) * 60 + Number(offsetMinute)) * (sign === '-' ? -1 : 1);
  return (Number(hour) * 60 + Number(minute) - offset + 1440) % 1440 === 1439;
}

function isDateTime(text: string): boolean {
  return /^[Tt]$/.test(text.charAt(10)) && isDate(text.slice(0, 10)) && isTime(text.slice(11));
}

function isEmail(text: string): boolean {
  const at = text.lastIndexOf('@');
  const local = text.slice(0, Math.max(at, 0));
  const domain = text.slice(at + 1);
  if (!LOCAL_PART.test(local) && !QUOTED_LOCAL_PART.test(local)) return false;
  if (!domain.startsWith('[') || !domain.endsWith(']')) return isHostname(domain);
  const address = domain.slice(1, -1);
  return IPV4.test(address) || (/^ipv6:/i.test(address) && isIpv6(address.slice(5)));
}

function isHostname(text: string): boolean {
  return text.length <= MAX_HOST_CHARS && text.split('.').every((label) => LABEL.test(label));
}

function isIpv6(text: string): boolean {
  if (text.length > 45) return false;
  const halves = text.split('::');
  if (halves.length > 2) return false;
  const groups = halves.map((half) => (half === '' ? [] : half.split(':')));
  const all = groups.flat();
  const last = all.at(-1) ?? '';
  const isMixed = last.includes('.');
  // An IPv4 address replaces the last two groups, at the end only.
  if (isMixed && (!IPV4.test(last) || text.endsWith('::'))) return false;
  const plain = isMixed ? all.slice(0, -1) : all;
  const count = plain.length + (isMixed ? 2 : 0);
  return (
    plain.every((group) => /^[0-9a-f]{1,4}$/i.test(group)) && (halves.length === 2 ? count <= 7 : count === 8)
  );
}

function isUri(text: string, isAbsolute: boolean): boolean {
  const match = URI_PARTS.exec(text);
  if (match === null) return false;
  const [, scheme, authority, path = '', query = '', fragment = ''] = match;
  if (scheme === undefined ? isAbsolute || /^[^/]*:/.test(path) : !SCHEME.test(scheme)) return false;
  if (authority !== undefined && !isAuthority(authority)) return false;
  return [path, query, fragment].every((part) => URI_CHARACTERS.test(part));
}

function isAuthority(authority: string): boolean {
  const match = AUTHORITY.exec(authority);
  if (match === null) return false;
  const [, literal] = match;
  if (literal !== undefined && !isIpv6(literal) && !/^v[0-9a-f]+\.[\w.~!$&'()*+,;=:-]+$/i.test(literal)) {
    return false;
  }
  return URI_CHARACTERS.test(authority.replace(/\[[^\]]*\]/, ''));
}

function isPattern(text: string): boolean {
  try {
    parsePattern(text);
    return true;
  } catch {
    return false;
  }
}
