/** Decisions: each page of `docs/adr/` is in the index once, is short, and is the page that a text names. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const FOLDER = 'docs/adr';
const ARCHIVE = `${FOLDER}/archive`;
const PAGE = /^\d{4}-[a-z0-9-]+\.md$/u;
const MIN_LINES = 20;
const MAX_LINES = 60;

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const pagesOf = (folder: string): readonly string[] =>
  readdirSync(join(ROOT, folder)).filter((name) => PAGE.test(name));
const numberOf = (name: string): string => name.slice(0, 4);

const pages = pagesOf(FOLDER);
const archived = pagesOf(ARCHIVE);
const numbers = new Set(pages.map(numberOf));

/** Numbers of decisions that a text names, also where a line ends between word and number. */
function namedIn(text: string): readonly string[] {
  const inWords = text.matchAll(/\bADRs?[\s*/]+(?<number>\d{4})\b(?:,? and (?:ADR )?(?<second>\d{4})\b)?/gu);
  const inLinks = text.matchAll(/(?:\badr\/|\]\()(?<number>\d{4})-[a-z0-9-]+\.md/gu);
  return [...inWords, ...inLinks].flatMap(({ groups }) =>
    [groups?.['number'], groups?.['second']].filter((number) => number !== undefined),
  );
}

/** Links of a page to files that do not exist. */
function brokenLinksOf(page: string): readonly string[] {
  const targets = [...read(page).matchAll(/\]\((?<target>[^)\s#]+)[^)\s]*\)/gu)].map(
    ({ groups }) => groups?.['target'] ?? '',
  );
  return targets.filter(
    (target) => !/^https?:/u.test(target) && !existsSync(join(ROOT, dirname(page), target)),
  );
}

describe('the index of decisions', () => {
  it('has each page once, under a topic', () => {
    const [, ...topics] = read(`${FOLDER}/README.md`).split(/^## /mu);
    const listed = topics.flatMap((topic) =>
      [...topic.matchAll(/\]\((?<page>\d{4}-[^)]+\.md)\)/gu)].map(({ groups }) => groups?.['page']),
    );
    expect(new Set(listed)).toEqual(new Set(pages));
    expect(listed).toHaveLength(pages.length);
  });

  it('has the title of each page', () => {
    const index = read(`${FOLDER}/README.md`).replaceAll(/\s+/gu, ' ');
    const missing = pages.filter((page) => {
      const title = /^# \d{4}: (?<title>.+)$/mu.exec(read(`${FOLDER}/${page}`))?.groups?.['title'];
      return !index.includes(`- [${numberOf(page)}](${page}) ${title ?? 'no title'}`);
    });
    expect(missing).toEqual([]);
  });
});

describe('a number of an earlier decision', () => {
  it('is in the index, beside the page that has it now', () => {
    const rows = [
      ...read(`${FOLDER}/README.md`).matchAll(/^\| (?<page>\d{4}) \| (?<old>[\d, ]+) \|$/gmu),
    ].flatMap(({ groups }) => (groups?.['old'] ?? '').split(', ').map((old) => [old, groups?.['page']]));
    const moved = archived
      .filter((page) => !numbers.has(numberOf(page)))
      .map((page) => [
        numberOf(page),
        /\[(?<number>\d{4})\]/u.exec(read(`${ARCHIVE}/${page}`))?.groups?.['number'],
      ]);
    expect(Object.fromEntries(rows)).toEqual(Object.fromEntries(moved));
  });
});

describe('a page of a decision', () => {
  it(`has ${MIN_LINES} to ${MAX_LINES} lines`, () => {
    const sizes = pages.map((page) => ({
      page,
      lines: read(`${FOLDER}/${page}`).trimEnd().split('\n').length,
    }));
    expect(sizes.filter(({ lines }) => lines < MIN_LINES || lines > MAX_LINES)).toEqual([]);
  });

  it('has a number of its own', () => {
    expect(numbers.size).toBe(pages.length);
    expect(new Set(archived.map(numberOf)).size).toBe(archived.length);
  });

  it('has links that lead to a file, also in the archive', () => {
    const all = [
      ...pages.map((page) => `${FOLDER}/${page}`),
      ...archived.map((page) => `${ARCHIVE}/${page}`),
    ];
    expect(all.flatMap((page) => brokenLinksOf(page).map((target) => `${page}: ${target}`))).toEqual([]);
  });

  it('is named by the first line of what it replaced', () => {
    const unnamed = archived.filter((page) => {
      const first = read(`${ARCHIVE}/${page}`).split('\n', 1)[0] ?? '';
      const number = /^> Replaced by \[(?<number>\d{4})\]/u.exec(first)?.groups?.['number'] ?? '';
      const isRewritten = numbers.has(numberOf(page));
      return isRewritten ? number !== numberOf(page) : !numbers.has(number);
    });
    expect(unnamed).toEqual([]);
  });
});

it('a source or a page names only decisions that hold', () => {
  const files = execFileSync(
    'git',
    ['ls-files', '-z', '--', '*.md', '*.ts', '*.tsx', '*.mts', '*.yml', '*.sh'],
    {
      cwd: ROOT,
      encoding: 'utf8',
    },
  )
    .split('\0')
    .filter((file) => file !== '' && !file.startsWith(`${ARCHIVE}/`) && existsSync(join(ROOT, file)));
  const stale = files.flatMap((file) =>
    namedIn(read(file))
      .filter((number) => !numbers.has(number))
      .map((number) => `${file}: ${number}`),
  );
  expect(stale).toEqual([]);
});
