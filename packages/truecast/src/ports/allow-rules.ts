/** Canonical host names, and the patterns of `egress: { allow }`, which match hosts and ports. Pure. */
import { isIP } from 'node:net';
import { describeValue } from '@truecast/core/internal/kit/describe-value';
import { UsageError } from '@truecast/core/internal/errors/usage-error';

export interface AllowRule {
  /** `suffix`: every name that ends in `.host`, but not `host` itself. */
  readonly type: 'name' | 'suffix' | 'address';
  /** In canonical form. */
  readonly host: string;
  /** If undefined, the ports of HTTP and HTTPS. */
  readonly port: number | undefined;
}

/**
 * Names and addresses of a loopback interface. A sandbox has its own loopback. Single ports of the
 * host's loopback are reached through tunnels.
 */
export const LOOPBACK_HOSTS: readonly string[] = ['localhost', '127.0.0.1', '::1'];

/** First port on which a program can listen without root, also inside. */
const FIRST_FREE_PORT = 1_024;
const DEFAULT_PORTS = [80, 443];
const FORMS = 'Write `host`, `host:port`, `*.suffix`, an IP address, or `localhost:port`';

/**
 * Parses the patterns of `egress.allow`.
 *
 * @throws UsageError for an empty list or an invalid pattern
 */
export function parseAllowRules(allow: unknown): readonly AllowRule[] {
  if (!Array.isArray(allow)) {
    throw new UsageError(`Expected \`egress.allow\` to be an array of hosts, got ${describeValue(allow)}.`);
  }
  if (allow.length === 0) {
    throw new UsageError(
      "Expected `egress.allow` to name at least one host, got none. Use `egress: 'none'`.",
    );
  }
  return allow.map(parseRule);
}

/** Returns true if a rule lists a canonical host with a port. */
export function isListed(rules: readonly AllowRule[], host: string, port: number): boolean {
  return rules.some((rule) => matchesHost(rule, host) && matchesPort(rule, port));
}

/** Returns true if a rule's ports include `port`. */
export function matchesPort(rule: AllowRule, port: number): boolean {
  return rule.port === undefined ? DEFAULT_PORTS.includes(port) : rule.port === port;
}

function matchesHost({ type, host: listed }: AllowRule, host: string): boolean {
  if (type !== 'suffix') return host === listed;
  return isIP(host) === 0 && host.length > listed.length + 1 && host.endsWith(`.${listed}`);
}

function parseRule(value: unknown): AllowRule {
  if (typeof value !== 'string') throw refusal(value, FORMS);
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(value)) {
    const host = URL.parse(value)?.host;
    throw refusal(value, `That is a URL: list its host alone${host ? `, \`${host}\`` : ''}`);
  }
  if (value.includes('/')) throw refusal(value, `Paths and address ranges cannot be listed. ${FORMS}`);
  if (value === '*') throw refusal(value, "To allow every host, use `egress: 'host'`");
  const port = /:(\d+)$/.exec(value)?.[1];
  if (port !== undefined && isIP(value) === 0 && !(Number(port) >= 1 && Number(port) <= 65_535)) {
    throw refusal(value, 'A port is a number from 1 to 65535');
  }
  const isSuffix = value.startsWith('*.');
  const text = isSuffix ? value.slice(2) : value;
  const authority = parseAuthority(isIP(text) === 6 ? `[${text}]` : text);
  if (authority === undefined) throw refusal(value, FORMS);
  const isAddress = isIP(authority.host) !== 0;
  if (isSuffix && isAddress) throw refusal(value, 'An IP address has no subdomains: list it alone');
  if (!isSuffix && LOOPBACK_HOSTS.includes(authority.host) && (authority.port ?? 0) < FIRST_FREE_PORT) {
    throw refusal(
      value,
      "For this machine's own loopback, list single ports from 1024 up, such as `localhost:8080`",
    );
  }
  return { type: isSuffix ? 'suffix' : isAddress ? 'address' : 'name', ...authority };
}

function refusal(value: unknown, advice: string): UsageError {
  return new UsageError(`Expected \`egress.allow\` to name hosts, got ${describeValue(value)}. ${advice}.`);
}

const MAX_NAME_CHARS = 253;
const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;
/** Characters that are never allowed in a host. They would begin or hide another part of a URL. */
const FORBIDDEN = /[\s/?#@\\%<>^|"'`{}]|\p{Cc}/u;

/**
 * Returns a host in lower case and ASCII (IDN), without its trailing dot. An IP address is returned
 * in canonical form, IPv6 without brackets. Returns undefined for an invalid host.
 *
 * Every notation of an IPv4 address (`127.1`, `0x7f000001`, `2130706433`) becomes the dotted one.
 * Otherwise it could pass as a name.
 */
export function canonicalHost(text: string): string | undefined {
  if (text === '' || text.length > MAX_NAME_CHARS + 2 || FORBIDDEN.test(text)) return undefined;
  const isBracketed = text.startsWith('[') && text.endsWith(']');
  if (!isBracketed && text.includes(':')) return undefined;
  const url = URL.parse(`http://${text}/`);
  if (url === null) return undefined;
  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  if (isIP(host) !== 0) return host;
  const isName = host.length <= MAX_NAME_CHARS && host.split('.').every((label) => LABEL.test(label));
  return isName ? host : undefined;
}

interface HostAndPort {
  /** In canonical form. */
  readonly host: string;
  /** Undefined if no port was given. */
  readonly port: number | undefined;
}

/** Parses `host`, `host:port`, `[ipv6]` or `[ipv6]:port`. Returns undefined for anything else. */
export function parseAuthority(text: string): HostAndPort | undefined {
  const match = /^(\[[^[\]]*\]|[^:[\]]*)(?::(\d{1,5}))?$/u.exec(text);
  const host = canonicalHost(match?.[1] ?? '');
  if (match === null || host === undefined) return undefined;
  if (match[2] === undefined) return { host, port: undefined };
  const port = Number(match[2]);
  return port >= 1 && port <= 65_535 ? { host, port } : undefined;
}

/** Formats a host and port as in a URL. */
export function formatAuthority(host: string, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
