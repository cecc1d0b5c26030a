/** Planted secrets: the formats in which tests hide secrets, and a check that a text has none. */
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { makeRepository } from './fixture.ts';

const body = (length: number): string => 'aB3dE5gH7jK9mN1pQ2sT4vW6xY8z'.repeat(20).slice(0, length);

/** Values that a run declares, in `.truecast/.env` or as an option. */
export const FROM_FILE = 'plain-words-of-a-vault';
export const DECLARED = 'declared: value "with" quotes/8+';

/** Each format, and the part of it that must not appear anywhere. */
export const PLANTED: readonly (readonly [text: string, secret: string])[] = [
  [FROM_FILE, FROM_FILE],
  [DECLARED, DECLARED],
  [JSON.stringify(DECLARED), JSON.stringify(DECLARED).slice(1, -1)],
  [encodeURIComponent(DECLARED), encodeURIComponent(DECLARED)],
  [Buffer.from(FROM_FILE).toString('base64'), Buffer.from(FROM_FILE).toString('base64').slice(0, 28)],
  [
    Buffer.from(`xx${FROM_FILE}`).toString('base64url'),
    Buffer.from(`xx${FROM_FILE}`).toString('base64url').slice(4, 28),
  ],
  [Buffer.from(FROM_FILE).toString('hex'), Buffer.from(FROM_FILE).toString('hex')],
  [`sk-${body(40)}`, body(40)],
  [`sk-ant-api03-${body(60)}`, body(60)],
  [`sk_live_${body(24)}`, body(24)],
  [`ghp_${body(36)}`, body(36)],
  [`github_pat_${body(40)}`, body(40)],
  [`glpat-${body(20)}`, body(20)],
  [`npm_${body(36)}`, body(36)],
  [`xoxb-1234567890-${body(24)}`, `1234567890-${body(24)}`],
  ['AKIAIOSFODNN7EXAMPLE', 'IOSFODNN7EXAMPLE'],
  [`AIza${body(35)}`, body(35)],
  [`ya29.${body(60)}`, body(60)],
  [`gsk_${body(52)}`, body(52)],
  [`hf_${body(34)}`, body(34)],
  [`xai-${body(80)}`, body(80)],
  [`r8_${body(37)}`, body(37)],
  [`nvapi-${body(64)}`, body(64)],
  [`SG.${body(22)}.${body(43)}`, body(22)],
  [`eyJ${body(20)}.eyJ${body(30)}.${body(43)}`, `eyJ${body(30)}.${body(43)}`],
  [`Authorization: Bearer ${body(32)}`, body(32)],
  ['postgres://app:pw-of-the-app@db.internal/x', 'pw-of-the-app'],
  [`https://hooks.slack.com/services/T0/B0/${body(24)}`, `T0/B0/${body(24)}`],
  [`-----BEGIN PRIVATE KEY-----\n${body(64)}\n-----END PRIVATE KEY-----`, body(64)],
];

/** All of them, one per line. */
export const ALL: string = PLANTED.map(([text], index) => `${index}: ${text} .`).join('\n');

/** Creates a repository whose `.truecast/.env` declares values. */
export function repositoryWithEnv(env: Readonly<Record<string, string>>): string {
  const cwd = makeRepository();
  mkdirSync(join(cwd, '.truecast'), { recursive: true });
  const lines = Object.entries(env).map(([name, value]) => `${name}='${value}'\n`);
  writeFileSync(join(cwd, '.truecast', '.env'), lines.join(''));
  writeFileSync(join(cwd, '.truecast', '.gitignore'), '.env\n');
  return cwd;
}

/** Fails if a sink is empty or holds a planted secret. */
export function expectNoSecret(sink: string, text: string): void {
  expect(text.length, `${sink} is not empty`).toBeGreaterThan(0);
  // A terminal ends its lines with a carriage return.
  const plain = text.replaceAll('\r\n', '\n');
  for (const [planted, secret] of PLANTED) {
    // Also JSON-escaped.
    for (const form of [secret, JSON.stringify(secret).slice(1, -1)]) {
      expect(plain.includes(form), `${sink} holds the secret of \`${planted}\``).toBe(false);
    }
  }
}

/** Returns the files of a folder with their text. */
export function filesOf(folder: string): readonly (readonly [name: string, text: string])[] {
  return readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]);
}
