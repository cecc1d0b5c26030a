/**
 * Token shapes: credentials that are recognized by their form, whatever variable they came from.
 * Pure.
 */

/**
 * Verdict on one more character of a candidate.
 *
 * `open`: undecided. `secret`: everything from `from` on is secret. `sealed`: the secret ended before this character.
 * `end`: this character is not part of the candidate.
 */
export type ShapeVerdict = 'open' | 'secret' | 'sealed' | 'end';

/** A candidate in progress, after its prefix. */
export interface ShapeRun {
  /** Absolute position where the secret begins. */
  from: number;
  advance(code: number, position: number): ShapeVerdict;
}

/** A form of credential. At most one candidate of a shape is open at a time. */
export interface TokenShape {
  readonly prefixes: readonly string[];
  /** True if the prefix must not follow a letter or digit: `task-…` is not `sk-…`. */
  readonly needsBoundary: boolean;
  begin(bodyStart: number): ShapeRun;
}

const MAX_JWT_HEADER_CHARS = 512;
const MIN_JWT_PAYLOAD_CHARS = 8;
const MAX_URL_USER_CHARS = 256;
const MAX_URL_PASSWORD_CHARS = 1_024;
const MAX_KEY_LABEL_CHARS = 48;
/** A block without its end must not hide the rest of a log. */
const MAX_KEY_BLOCK_CHARS = 16 * 1024;

const WORD = /[A-Za-z0-9_-]/u;
const ALPHANUMERIC = /[A-Za-z0-9]/u;

/**
 * All shapes, with the shortest body that counts. A prefix stays readable. It is public, identifies
 * the kind of credential, and need not be held back.
 */
export const TOKEN_SHAPES: readonly TokenShape[] = [
  run(['sk-'], WORD, 20),
  run(['sk_live_', 'sk_test_', 'rk_live_', 'rk_test_', 'whsec_'], ALPHANUMERIC, 16),
  run(['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'], ALPHANUMERIC, 20),
  run(['github_pat_'], /\w/u, 20),
  run(['glpat-'], WORD, 16),
  run(['npm_'], ALPHANUMERIC, 30),
  run(['xoxa-', 'xoxb-', 'xoxe-', 'xoxp-', 'xoxr-', 'xoxs-', 'xapp-'], /[A-Za-z0-9-]/u, 10),
  run(['AKIA', 'ASIA'], /[A-Z0-9]/u, 16),
  run(['AIza'], WORD, 30),
  run(['ya29.', 'GOCSPX-'], WORD, 20),
  // Groq, Hugging Face, xAI, Replicate, Perplexity, NVIDIA, Tavily.
  run(['gsk_', 'hf_', 'xai-', 'r8_', 'pplx-'], ALPHANUMERIC, 28),
  run(['nvapi-', 'tvly-'], WORD, 28),
  run(['dop_v1_', 'shpat_', 'lin_api_'], ALPHANUMERIC, 28),
  run(['pypi-AgE'], WORD, 28),
  run(['SG.'], /[\w.-]/u, 40),
  run(['Bearer ', 'bearer ', 'BEARER '], /[\w.~+/=-]/u, 16),
  run(
    [
      'hooks.slack.com/services/',
      'hooks.slack.com/workflows/',
      'hooks.slack.com/triggers/',
      'discord.com/api/webhooks/',
      'discordapp.com/api/webhooks/',
      'outlook.office.com/webhook/',
      '.webhook.office.com/webhookb2/',
      'hooks.zapier.com/hooks/catch/',
    ],
    /[\w/@-]/u,
    16,
    false,
  ),
  // The same prefixes in Base64 and hexadecimal, if they are long enough to exclude coincidence.
  ...encodedPrefixes(['sk-ant-', 'sk-proj-', 'sk_live_', 'rk_live_', 'github_pat_', 'glpat-', '-----BEGIN ']),
  { prefixes: ['eyJ'], needsBoundary: true, begin: jsonWebToken },
  { prefixes: ['://'], needsBoundary: false, begin: urlPassword },
  { prefixes: ['-----BEGIN '], needsBoundary: false, begin: privateKey },
];

function run(prefixes: readonly string[], body: RegExp, minChars: number, needsBoundary = true): TokenShape {
  const isBody = asciiTable(body);
  return {
    prefixes,
    needsBoundary,
    begin: (bodyStart) => {
      let count = 0;
      return {
        from: bodyStart,
        advance: (code) => {
          if (isBody[code] !== 1) return 'end';
          count += 1;
          return count >= minChars ? 'secret' : 'open';
        },
      };
    },
  };
}

function encodedPrefixes(prefixes: readonly string[]): readonly TokenShape[] {
  const inBase64 = prefixes.flatMap((prefix) => base64Forms(prefix)).filter(({ length }) => length >= 6);
  const inHex = prefixes.map(hexForm);
  return [
    run(inBase64, /[\w+/=-]/u, 20, false),
    run([...inHex, ...inHex.map((hex) => hex.toUpperCase())], /[0-9a-f]/iu, 32, false),
  ];
}

/**
 * Returns the Base64 characters of a text, for each of the three offsets at which a group can
 * begin.
 */
export function base64Forms(text: string): readonly string[] {
  const bytes = new TextEncoder().encode(text);
  return [0, 1, 2].map((offset) => {
    const encoded = btoa('\0'.repeat(offset) + String.fromCodePoint(...bytes));
    // Characters at the edges also carry bits of their neighbors.
    const first = Math.ceil((offset * 8) / 6);
    return encoded.slice(first, Math.floor(((offset + bytes.length) * 8) / 6));
  });
}

/** Returns a text's bytes in hexadecimal digits, without Node's buffers: ensembles run in browsers. */
export function hexForm(text: string): string {
  return Array.from(new TextEncoder().encode(text), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function asciiTable(pattern: RegExp): Uint8Array {
  const table = new Uint8Array(128);
  for (let code = 0; code < 128; code += 1) table[code] = pattern.test(String.fromCodePoint(code)) ? 1 : 0;
  return table;
}

const IS_WORD = asciiTable(WORD);
const DOT = 0x2e;

/** Header, payload and signature, each in Base64. One segment alone is any JSON in Base64. */
function jsonWebToken(bodyStart: number): ShapeRun {
  let dots = 0;
  let count = 0;
  return {
    from: bodyStart,
    advance: (code) => {
      if (code !== DOT && IS_WORD[code] !== 1) return 'end';
      if (code === DOT && count === 0) return 'end';
      if (code === DOT) dots += 1;
      count = code === DOT && dots === 1 ? 0 : count + 1;
      if (dots === 0) return count > MAX_JWT_HEADER_CHARS ? 'end' : 'open';
      return dots > 1 || count >= MIN_JWT_PAYLOAD_CHARS ? 'secret' : 'open';
    },
  };
}

const COLON = 0x3a;
const AT = 0x40;
/** Whitespace, `/`, `?`, `#`, quotes, brackets and `\` end the authority of a URL. */
const ENDS_AUTHORITY = asciiTable(/[\s/?#"'`<>()[\]{}\\]/u);

/** `scheme://user:password@host`: the password alone is secret. */
function urlPassword(bodyStart: number): ShapeRun {
  const shape: ShapeRun & { isPassword: boolean } = {
    from: bodyStart,
    isPassword: false,
    advance: (code, position) => {
      if (ENDS_AUTHORITY[code] === 1) return 'end';
      const count = position - shape.from;
      if (shape.isPassword) {
        if (code === AT) return count === 0 ? 'end' : 'sealed';
        return count > MAX_URL_PASSWORD_CHARS ? 'end' : 'open';
      }
      if (code === AT || count > MAX_URL_USER_CHARS) return 'end';
      if (code === COLON) {
        shape.isPassword = true;
        shape.from = position + 1;
      }
      return 'open';
    },
  };
  return shape;
}

const IS_LABEL = asciiTable(/[A-Z0-9 -]/u);

/** A PEM or OpenPGP block with a private key, up to its last dash. */
function privateKey(bodyStart: number): ShapeRun {
  let label = '';
  let isKey = false;
  let count = 0;
  let end: 'none' | 'trailer' = 'none';
  return {
    from: bodyStart,
    advance: (code) => {
      count += 1;
      if (!isKey) {
        if (IS_LABEL[code] !== 1 || count > MAX_KEY_LABEL_CHARS) return 'end';
        label += String.fromCodePoint(code);
        if (!label.endsWith('-----')) return 'open';
        isKey = /PRIVATE KEY(?: BLOCK)?-----$/u.test(label);
        label = '';
        return isKey ? 'secret' : 'end';
      }
      if (count > MAX_KEY_BLOCK_CHARS) return 'end';
      if (end === 'trailer' && label.endsWith('-----')) return 'end';
      label = (label + String.fromCodePoint(code)).slice(-9);
      if (label === '-----END ') {
        end = 'trailer';
        label = '';
      }
      return 'secret';
    },
  };
}
