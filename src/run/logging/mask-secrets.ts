/** Owns keeping secrets out of what is written: their values are replaced wherever they stand. Pure. */

/** Replaces secrets in text. */
export interface SecretMask {
  /** Masks a text that is whole. */
  readonly mask: (text: string) => string;
  /** Makes a mask for text that arrives in pieces, which may cut a secret in two. */
  readonly stream: () => SecretMaskStream;
}

/** Replaces secrets in text that arrives in pieces. */
export interface SecretMaskStream {
  /** Takes a piece; returns what can be no secret's beginning. */
  readonly push: (chunk: string) => string;
  /** Returns what was held back. */
  readonly end: () => string;
}

/** Stands for a secret. */
const MASK = '***';

/** Shorter values (`true`, `8080`) stand everywhere, and masking them would make a log unreadable. */
const MIN_SECRET_CHARS = 8;

const SECRET_NAME =
  /(?:^|_|-)(?:api_?key|key|token|secret|passw(?:or)?d|passphrase|pwd|credentials?|auth|authorization|cookie|private|signature|dsn|pat)s?(?:$|_|-)/iu;
/** Directories that every shell tells, though their names read like passwords. */
const PUBLIC_NAMES: ReadonlySet<string> = new Set(['PWD', 'OLDPWD']);
const URL_WITH_PASSWORD = /^[a-z][a-z0-9+.-]*:\/\/[^/\s:@]*:([^/\s@]+)@/iu;

/** Returns the values of an environment that look secret: by their name, or as a URL with a password. */
export function secretValues(env: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(env).flatMap(([name, value]) => {
    if (value === undefined) return [];
    const password = URL_WITH_PASSWORD.exec(value)?.[1];
    // `camelCase` and `apiKey` are read as `camel_Case` and `api_Key`.
    const isSecret =
      !PUBLIC_NAMES.has(name) && SECRET_NAME.test(name.replaceAll(/([a-z0-9])([A-Z])/gu, '$1_$2'));
    return [...(isSecret ? [value] : []), ...(password === undefined ? [] : [password])];
  });
}

/** Makes a mask for the given secrets, also as they look in JSON and in a URL, and each line of those with several. */
export function createSecretMask(secrets: readonly string[]): SecretMask {
  const forms = secrets
    .flatMap((secret) => [secret, ...secret.split(/\r?\n/u)])
    .map((secret) => secret.trim())
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1), encodeForm(secret)])
    .filter((form) => form.length >= MIN_SECRET_CHARS);
  // The longest first: of two that begin alike, the longer one must win.
  const needles = [...new Set(forms)].toSorted((one, other) => other.length - one.length);
  if (needles.length === 0)
    return { mask: (text) => text, stream: () => ({ push: (chunk) => chunk, end: () => '' }) };
  const pattern = new RegExp(needles.map(escapePattern).join('|'), 'gu');
  const mask = (text: string): string => text.replaceAll(pattern, MASK);
  return { mask, stream: () => maskStream(needles, pattern) };
}

function maskStream(needles: readonly string[], pattern: RegExp): SecretMaskStream {
  let held = '';
  return {
    push(chunk): string {
      const text = held + chunk;
      const at = safeCut(text, needles, pattern);
      held = text.slice(at);
      return text.slice(0, at).replaceAll(pattern, MASK);
    },
    end(): string {
      const text = held.replaceAll(pattern, MASK);
      held = '';
      return text;
    },
  };
}

/** Returns where a text can be cut so that no secret, whole or only begun, lies across. */
function safeCut(text: string, needles: readonly string[], pattern: RegExp): number {
  const longest = needles[0]?.length ?? 0;
  const matches = [...text.matchAll(pattern)];
  let matched = 0;
  for (let at = 0; at < text.length; at += 1) {
    const next = matches[matched];
    // Further from the end than the longest secret, nothing can be merely begun.
    const begunFrom = Math.max(at, text.length - longest + 1);
    const begun = begunAt(text, begunFrom, needles, next?.index ?? text.length);
    if (begun !== undefined) return begun;
    if (next === undefined) return text.length;
    at = next.index + next[0].length - 1;
    matched += 1;
  }
  return text.length;
}

function begunAt(text: string, from: number, needles: readonly string[], to: number): number | undefined {
  for (let at = from; at <= to && at < text.length; at += 1) {
    const tail = text.slice(at);
    if (needles.some((needle) => needle.length > tail.length && needle.startsWith(tail))) return at;
  }
  return undefined;
}

function escapePattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/gu, String.raw`\$&`);
}

function encodeForm(text: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    // Half of a surrogate pair: it has no form in a URL.
    return text;
  }
}
