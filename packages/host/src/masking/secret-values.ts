/** Secret values of a run's environment, and the forms in which they can appear in a text. Pure. */
import { base64Forms, hexForm } from './token-shapes.ts';

/** Shorter values (`true`, `8080`) occur everywhere: masking them would make a log unreadable. */
const MIN_SECRET_CHARS = 8;
/**
 * Longer values are searched for only in their plain, JSON and URL forms, not in Base64 and
 * hexadecimal.
 */
const MAX_ENCODED_CHARS = 8 * 1024;
/** Shorter Base64 is rarely split: programs wrap at 64 (OpenSSL) or 76 characters (`base64`). */
const MIN_WRAPPED_CHARS = 16;
/** Longer needles are split into pieces, which limits the text that a scanner holds back. */
const MAX_NEEDLE_CHARS = 256;

const SECRET_NAME =
  /(?:^|_|-)(?:api_?key|key|token|secret|passw(?:or)?d|passphrase|pwd|credentials?|auth|authorization|cookie|private|signature|dsn|pat)s?(?:$|_|-)/iu;
/** Variables of POSIX, of every shell and of traces. Logs need their values: paths, names and ids. */
const PUBLIC_NAME =
  /^(?:PATH|HOME|PWD|OLDPWD|TMPDIR|TMP|TEMP|SHELL|USER|LOGNAME|LANG|LANGUAGE|LC_\w+|TERM|COLORTERM|TZ|EDITOR|PAGER|NODE_ENV|CI|TRACEPARENT|TRACESTATE)$/u;
const URL_WITH_PASSWORD = /^[a-z][a-z0-9+.-]*:\/\/[^/\s:@]*:([^/\s@]+)@/iu;

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the values of an inherited environment that look secret: by their name, or as a URL with
 * a password.
 */
export function secretValues(env: Environment): string[] {
  return Object.entries(env).flatMap(([name, value]) => {
    if (value === undefined) return [];
    const password = URL_WITH_PASSWORD.exec(value)?.[1];
    // `camelCase` and `apiKey` are read as `camel_Case` and `api_Key`.
    const isSecret =
      !PUBLIC_NAME.test(name) && SECRET_NAME.test(name.replaceAll(/([a-z0-9])([A-Z])/gu, '$1_$2'));
    return [...(isSecret ? [value] : []), ...(password === undefined ? [] : [password])];
  });
}

/** Returns the secret-looking values of this process. A browser has no environment. */
export function processSecrets(): string[] {
  const { env } = typeof process === 'undefined' ? { env: {} } : process;
  return secretValues({ ...env });
}

/**
 * Returns the values that a run declares, in `.truecast/.env` or an `env` option. All are secret,
 * whatever their name.
 */
export function declaredValues(env: Environment): string[] {
  return Object.entries(env).flatMap(([name, value]) =>
    value === undefined || PUBLIC_NAME.test(name) ? [] : [value],
  );
}

/**
 * Returns the search strings: each value and each of the lines, also as JSON, in a URL, in Base64
 * and in hexadecimal.
 */
export function toNeedles(secrets: readonly string[]): ReadonlySet<string> {
  const values = secrets
    .flatMap((secret) => [secret, ...secret.split(/\r?\n/u)])
    .map((secret) => secret.trim())
    .filter(({ length }) => length >= MIN_SECRET_CHARS);
  const forms = [...new Set(values)].flatMap(formsOf).filter(({ length }) => length >= MIN_SECRET_CHARS);
  return new Set(forms.flatMap(piecesOf));
}

function formsOf(secret: string): readonly string[] {
  const asJson = JSON.stringify(secret).slice(1, -1);
  const inUrl = encodeForm(secret);
  const plain = [
    secret,
    asJson,
    JSON.stringify(asJson).slice(1, -1),
    ...escapedForms(asJson),
    inUrl,
    inUrl.replaceAll(/%[0-9A-F]{2}/gu, (code) => code.toLowerCase()),
    inUrl.replaceAll('%20', '+'),
  ];
  if (secret.length > MAX_ENCODED_CHARS) return plain;
  // A line can end within the first characters of a form, where the scanner skips no line break.
  const inBase64 = base64Forms(secret).flatMap((text) =>
    text.length < MIN_WRAPPED_CHARS ? [text] : [text, text.slice(2)],
  );
  const inHex = hexForm(secret);
  return [
    ...plain,
    ...inBase64,
    ...inBase64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
    inHex,
    inHex.toUpperCase(),
  ];
}

/** JSON of serializers that escape more than they must: PHP, Go and Python. */
function escapedForms(asJson: string): readonly string[] {
  const escape = (pattern: RegExp): string =>
    asJson.replaceAll(pattern, (code) => `\\u${code.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return [asJson.replaceAll('/', String.raw`\/`), escape(/[<>&]/gu), escape(/[\u0080-\uFFFF]/g)];
}

function piecesOf(text: string): readonly string[] {
  if (text.length <= MAX_NEEDLE_CHARS) return [text];
  const pieces = [text.slice(-MAX_NEEDLE_CHARS)];
  for (let at = 0; at + MAX_NEEDLE_CHARS <= text.length; at += MAX_NEEDLE_CHARS) {
    pieces.push(text.slice(at, at + MAX_NEEDLE_CHARS));
  }
  return pieces;
}

function encodeForm(text: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    // Half of a surrogate pair has no URL form.
    return text;
  }
}
