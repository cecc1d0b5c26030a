/**
 * Old names: one meaning has one word (ADR 0203). No source, page, example, template, help text or test
 * uses a name that was replaced, except the records of decisions and the list of changes.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** What a replaced name looks like, and the files whose use of it is another idea. */
interface OldName {
  readonly pattern: RegExp;
  readonly instead: string;
  readonly isOther?: (file: string, text: string) => boolean;
}

const OLD_NAMES: readonly OldName[] = [
  {
    pattern: /\bcreateServer\b/u,
    instead: 'createChatServer',
    isOther: (_file, text) => /createServer\b[^;]* from 'node:|require\("https?"\)\.createServer/u.test(text),
  },
  { pattern: /\bCreateServerOptions\b/u, instead: 'ChatServerOptions' },
  {
    pattern: /\bbaseUrl\b/u,
    instead: 'baseURL',
    // Names of Pi's configuration, of `openapi-fetch`, and of a message between two processes.
    isOther: (file) =>
      /^(?:packages\/truecast\/src\/agents\/pi\/|test\/openapi-client\/|bench\/)/u.test(file),
  },
  { pattern: /\b(?:server|client)Tool\b/u, instead: 'tool' },
  {
    pattern: /\bisReadOnly\b/u,
    instead: 'readOnlyHint',
    // A worktree that no commit comes from.
    isOther: (file) => file.startsWith('packages/truecast/src/'),
  },
  { pattern: /\bisIdempotent\b/u, instead: 'idempotentHint' },
];

/** The records, this list, and what says the new name to a caller of the old one. */
const RECORDS =
  /^(?:CHANGELOG\.md|docs\/adr\/0203-|test\/docs\/old-names\.test\.ts|packages\/core\/src\/options\/known-options\.ts|packages\/server\/src\/tools\/to-server-tools\.test\.ts|package-lock\.json|test\/transcripts\/)/u;

/** Every text file of the project that can contain a name. */
const texts: ReadonlyMap<string, string> = new Map(
  execFileSync('git', ['ls-files', '-z'], { cwd: ROOT, encoding: 'utf8' })
    .split('\0')
    .filter((file) => /\.(?:ts|tsx|mts|mjs|md|txt|json|yaml|yml|html|snap|patch)$/u.test(file))
    .filter((file) => !RECORDS.test(file))
    .map((file) => [file, readFileSync(`${ROOT}${file}`, 'utf8')]),
);

it('reads every source and page', () => {
  expect(texts.size).toBeGreaterThan(2_000);
});

it.each(OLD_NAMES)('no file uses $pattern: the word is $instead', ({ pattern, isOther }) => {
  const found = [...texts]
    .filter(([file, text]) => pattern.test(text) && isOther?.(file, text) !== true)
    .map(
      ([file, text]) =>
        `${file}: ${text
          .split('\n')
          .find((line) => pattern.test(line))
          ?.trim()}`,
    );
  expect(found).toEqual([]);
});
