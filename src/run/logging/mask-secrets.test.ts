import { expect, test } from 'vitest';
import { createSecretMask, secretValues } from './mask-secrets.ts';

test('takes values for secret by the name of their variable', () => {
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
  };
  expect(secretValues(env)).toEqual(['sk-1', 'ghp-1', 'pw-1', 'camel-1', 'aws-1']);
});

test('takes the password of a URL for secret', () => {
  expect(secretValues({ DATABASE: 'postgres://me:hunter2hunter2@localhost/db' })).toEqual(['hunter2hunter2']);
});

test('replaces every occurrence, also as JSON and in a URL', () => {
  const { mask } = createSecretMask(['quo"te/secret value']);
  expect(mask('quo"te/secret value, {"x":"quo\\"te/secret value"} ?k=quo%22te%2Fsecret%20value')).toBe(
    '***, {"x":"***"} ?k=***',
  );
});

test('replaces each line of a secret that has several', () => {
  const { mask } = createSecretMask(['-----BEGIN KEY-----\nabcdefghijkl\n-----END KEY-----\n']);
  expect(mask('line: abcdefghijkl')).toBe('line: ***');
  expect(mask('-----BEGIN KEY-----\\nabcdefghijkl\\n-----END KEY-----')).toBe('***');
});

test('leaves values that are too short to be told from words', () => {
  const { mask } = createSecretMask(['true', '8080', '']);
  expect(mask('true on port 8080')).toBe('true on port 8080');
});

test('replaces the longer of two that begin alike', () => {
  const { mask } = createSecretMask(['abcdefgh', 'abcdefghijkl']);
  expect(mask('abcdefghijkl abcdefghij')).toBe('*** ***ij');
});

test('reads no pattern in a secret', () => {
  const { mask } = createSecretMask(['a.*b|c(d)[e]$^{1}\\-/']);
  expect(mask('a.*b|c(d)[e]$^{1}\\-/ aXXb')).toBe('*** aXXb');
});

test('replaces a secret that two pieces cut', () => {
  const stream = createSecretMask(['abcdefgh']).stream();
  expect([stream.push('key abc'), stream.push('defgh!'), stream.end()]).toEqual(['key ', '***!', '']);
});

test('gives back what only looked like a secret’s beginning', () => {
  const stream = createSecretMask(['abcdefgh']).stream();
  expect([stream.push('abc'), stream.push('abx'), stream.push('abcd'), stream.end()]).toEqual([
    '',
    'abcabx',
    '',
    'abcd',
  ]);
});

test('takes the directories that a shell tells for no passwords', () => {
  expect(secretValues({ PWD: '/home/me/work', OLDPWD: '/home/me', DB_PWD: 'hunter22' })).toEqual([
    'hunter22',
  ]);
});
