/** Secret detection: declared values in every form, and tokens by their shape. */
import { expect, test } from 'vitest';
import { createSecretMask, RunMask } from './secret-mask.ts';
import { declaredValues, secretValues } from './secret-values.ts';

const stars = (text: string): string => '*'.repeat(text.length);

test('takes inherited values for secret by the name of their variable', () => {
  const env = {
    OPENAI_API_KEY: 'sk-1',
    GITHUB_TOKEN: 'ghp-1',
    DB_PASSWORD: 'pw-1',
    apiKey: 'camel-1',
    AWS_SECRET_ACCESS_KEY: 'aws-1',
    PATH: '/usr/bin',
    KEYBOARD: 'qwerty',
    MONKEY: 'banana',
    NOT_SET: undefined,
    TOKENIZER: 'bpe',
    PWD: '/home/me/work',
    OLDPWD: '/home/me',
    DB_PWD: 'hunter22',
  };
  expect(secretValues(env)).toEqual(['sk-1', 'ghp-1', 'pw-1', 'camel-1', 'aws-1', 'hunter22']);
});

test('takes the password of a URL for secret', () => {
  expect(secretValues({ DATABASE: 'postgres://me:hunter2hunter2@localhost/db' })).toEqual(['hunter2hunter2']);
});

test('takes every declared value for secret, but those of variables that every shell has', () => {
  const env = { STRIPE: 'a-value-of-8', PATH: '/usr/bin:/bin', HOME: '/home/agent', LC_ALL: 'en_US.UTF-8' };
  expect(declaredValues(env)).toEqual(['a-value-of-8']);
});

const SECRET = 'quo"te/sécret value+=';

test.each<[string, string]>([
  ['as it is', SECRET],
  ['in JSON', JSON.stringify(SECRET).slice(1, -1)],
  ['in JSON within JSON', JSON.stringify(JSON.stringify(SECRET)).slice(3, -3)],
  ['in a URL', encodeURIComponent(SECRET)],
  [
    'in a URL with lower-case codes',
    encodeURIComponent(SECRET).replaceAll(/%../gu, (code) => code.toLowerCase()),
  ],
  ['in a form', encodeURIComponent(SECRET).replaceAll('%20', '+')],
  ['in hexadecimal', Buffer.from(SECRET).toString('hex')],
  ['in upper-case hexadecimal', Buffer.from(SECRET).toString('hex').toUpperCase()],
])('masks a known value %s, and keeps the length of the text', (_form, text) => {
  expect(createSecretMask([SECRET]).mask(`a ${text} b`)).toBe(`a ${stars(text)} b`);
});

test.each<[string, string]>([
  ['PHP', String.raw`a\/b-1234`],
  ['Go', String.raw`a/b\u0026c\u003cd\u003e-1234`],
  ['Python', String.raw`a/s\u00e9cret \ud83d\ude00 1234`],
])('masks a known value in JSON of %s, which escapes more than it must', (_language, text) => {
  const value = JSON.parse(`"${text}"`) as string;
  expect(createSecretMask([value]).mask(`"${text}"`)).toBe(`"${stars(text)}"`);
});

test.each([0, 1, 2])('masks a known value in Base64 behind %i other bytes', (offset) => {
  const before = 'x'.repeat(offset);
  for (const encoding of ['base64', 'base64url'] as const) {
    const text = Buffer.from(`${before}${SECRET}yyy`).toString(encoding);
    const masked = createSecretMask([SECRET]).mask(text);
    expect(masked).toHaveLength(text.length);
    // The remaining characters carry bits of their neighbors.
    expect(masked.replaceAll('*', '').length).toBeLessThan(10);
  }
});

test('masks each line of a value that has several, and keeps the lines', () => {
  const { mask } = createSecretMask(['first-line-1\nabcdefghijkl\n']);
  expect(mask('line: abcdefghijkl')).toBe(`line: ${stars('abcdefghijkl')}`);
  expect(mask('first-line-1\nabcdefghijkl')).toBe('************\n************');
});

test.each([
  ['64 characters', 64, '\n'],
  ['76 characters', 76, '\n'],
  ['76 characters and CRLF', 76, '\r\n'],
])('masks Base64 in lines of %s, wherever the value begins', (_, width, lineBreak) => {
  const secret = 'k3y-'.repeat(30).slice(0, 70);
  for (let before = 0; before < 90; before += 1) {
    const body = Buffer.from(`${'.'.repeat(before)}${secret}${'.'.repeat(20)}`).toString('base64');
    const lines = body.match(new RegExp(`.{1,${width}}`, 'g'))!;
    const masked = createSecretMask([secret]).mask(lines.join(lineBreak));
    expect(masked).toHaveLength(body.length + (lines.length - 1) * lineBreak.length);
    const left = Buffer.from(masked.replaceAll(/[\r\n]/g, '').replaceAll('*', 'A'), 'base64').toString(
      'latin1',
    );
    expect(left).not.toMatch(/k3y|3y-|y-k/);
  }
});

test('leaves values that are too short to differ from words', () => {
  expect(createSecretMask(['true', '8080', '']).mask('true on port 8080')).toBe('true on port 8080');
});

test('masks all of two values that overlap', () => {
  expect(createSecretMask(['abcdefgh', 'efghijkl']).mask('abcdefghijkl abcdefg')).toBe(
    '************ abcdefg',
  );
});

test('masks the beginning of a value where a text was cut', () => {
  const { mask } = createSecretMask(['abcdefghijklmnop']);
  expect(mask('it is abcdefghij… more, abcdefghij')).toBe('it is **********… more, **********');
  expect(mask('abcdefghij and more')).toBe('abcdefghij and more');
});

test('masks all of a long value', () => {
  const long = Array.from({ length: 2_000 }, (_, index) =>
    String.fromCodePoint(97 + ((index * 7) % 26)),
  ).join('');
  expect(createSecretMask([long]).mask(`<${long}>`)).toBe(`<${stars(long)}>`);
});

test('gives back what only looked like the beginning of a secret', () => {
  const stream = createSecretMask(['abcdefgh']).stream();
  expect([stream.push('abc'), stream.push('ab!'), stream.push('abcd'), stream.end()]).toEqual([
    '',
    'abcab!',
    '',
    'abcd',
  ]);
});

test('changes nothing in a text that is masked already', () => {
  const { mask } = createSecretMask(['abcdefgh']);
  const once = mask('abcdefgh sk-abcdefghijklmnopqrstuvwx https://me:pw-of-me@host/');
  expect(mask(once)).toBe(once);
});

const body = (length: number): string => 'aB3dE5gH7jK9mN1pQ2sT4vW6xY8z'.repeat(20).slice(0, length);
const KEY_BLOCK = `-----BEGIN RSA PRIVATE KEY-----\n${body(64)}\n${body(20)}==\n-----END RSA PRIVATE KEY-----`;

/** Masks everything after `-----BEGIN ` except the last `keep` characters. */
function maskedBlock(text: string, keep = 0): string {
  const from = text.indexOf('-----BEGIN ') + 11;
  const to = text.length - keep;
  return text.slice(0, from) + text.slice(from, to).replaceAll(/[^\n]/gu, '*') + text.slice(to);
}

test.each([
  ['sk-', body(40)],
  ['sk-', `ant-api03-${body(80)}`],
  ['sk-', `proj-${body(40)}`],
  ['sk_live_', body(24)],
  ['rk_live_', body(24)],
  ['ghp_', body(36)],
  ['github_pat_', `${body(22)}_${body(59)}`],
  ['glpat-', body(20)],
  ['npm_', body(36)],
  ['xoxb-', `123456789012-${body(24)}`],
  ['AKIA', 'IOSFODNN7EXAMPLE'],
  ['AIza', body(35)],
  ['eyJ', `${body(30)}.eyJ${body(40)}.${body(43)}`],
])('masks the shape of %s%s', (prefix, secret) => {
  const { mask } = createSecretMask([]);
  const masked = `${prefix}${stars(secret)}`;
  expect(mask(`key=${prefix}${secret} end`)).toBe(`key=${masked} end`);
  expect(mask(JSON.stringify({ token: prefix + secret }))).toBe(JSON.stringify({ token: masked }));
});

test.each<[string, string]>([
  [`Authorization: Bearer ${body(30)}`, `Authorization: Bearer ${stars(body(30))}`],
  ['postgres://me:p%40sswo@db.internal/x', 'postgres://me:********@db.internal/x'],
  [
    `https://hooks.slack.com/services/T0/B0/${body(24)}`,
    `https://hooks.slack.com/services/${stars(`T0/B0/${body(24)}`)}`,
  ],
  [KEY_BLOCK, maskedBlock(KEY_BLOCK)],
  [JSON.stringify([KEY_BLOCK]), maskedBlock(JSON.stringify([KEY_BLOCK]), 2)],
  [`${KEY_BLOCK} and more`, `${maskedBlock(KEY_BLOCK)} and more`],
])('masks the secret part of %s', (text, expected) => {
  expect(createSecretMask([]).mask(text)).toBe(expected);
});

test('masks a token in Base64 and hexadecimal by its prefix', () => {
  const { mask } = createSecretMask([]);
  const token = `sk-ant-api03-${body(60)}`;
  for (const offset of [0, 1, 2]) {
    const bytes = Buffer.from(`${'x'.repeat(offset)}${token}`);
    const leaked = mask(bytes.toString('base64')).replaceAll('*', '');
    // The characters of the prefix, and of the bytes before it.
    expect(leaked.length).toBeLessThan(15);
    expect(mask(bytes.toString('hex'))).toMatch(/^(?:78)*736b2d616e742d\*+$/u);
  }
});

test.each([
  'task-force-management-system-of-the-north',
  'git@github.com:owner/repo.git and http://127.0.0.1:4747/api?x=a:b@c',
  'https://user@host.example/path',
  'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9 without a payload',
  'the bearer of this letter',
  '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----',
  '0123456789abcdef0123456789abcdef01234567',
  'MAKIAVELLIAN AKIA is short',
])('leaves %s', (text) => {
  expect(createSecretMask([]).mask(text)).toBe(text);
});

test.each([1, 2, 3, 7, 1_000])('masks secrets that colours begin or split, in pieces of %i', (size) => {
  const text = `a \u001B[32mghp_${body(18)}\u001B[1;31m${body(18)}\u001B[0m b \u001B[1mabc\u001B[mdefgh\u001B[`;
  const expected = `a \u001B[32mghp_${stars(body(18))}\u001B[1;31m${stars(body(18))}\u001B[0m b \u001B[1m***\u001B[m*****\u001B[`;
  const { mask, stream } = createSecretMask(['abcdefgh']);
  expect(mask(text)).toBe(expected);
  const piecewise = stream();
  const pieces = text.match(new RegExp(`[^]{1,${size}}`, 'gu')) ?? [];
  expect(pieces.map((piece) => piecewise.push(piece)).join('') + piecewise.end()).toBe(expected);
});

test('holds back a limited number of colours', () => {
  const piecewise = createSecretMask(['abcdefgh']).stream();
  const colours = '\u001B[31m'.repeat(2_000);
  expect(piecewise.push('abc')).toBe('');
  expect(piecewise.push(colours).length).toBeGreaterThan(0);
  expect(piecewise.push('') + piecewise.end()).toBe('');
});

test('masks what a run learns, and keeps what it knew', () => {
  const mask = new RunMask();
  mask.learn({ host: { API_KEY: 'inherited-1', PATH: '/usr/bin/of-the-host' } });
  const early = mask.stream();
  expect(mask.mask('inherited-1 declared-1')).toBe(`${stars('inherited-1')} declared-1`);
  mask.learn({ inside: { NAME: 'declared-1' }, host: { API_KEY: 'replaced-1' } });
  expect(mask.mask('inherited-1 declared-1 replaced-1 /usr/bin/of-the-host')).toBe(
    `${stars('inherited-1')} ${stars('declared-1')} ${stars('replaced-1')} /usr/bin/of-the-host`,
  );
  expect(early.push('inherited-1 declared-1') + early.end()).toBe(`${stars('inherited-1')} declared-1`);
});
