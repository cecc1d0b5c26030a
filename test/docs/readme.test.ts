/** Checks README: its size, its sentences, its commands, and the source of each figure. */
import { readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { describeRefusal } from '../../packages/core/src/output/validate/describe-refusal.ts';
import packageJson from '../../package.json' with { type: 'json' };
import truecast from '../../packages/truecast/package.json' with { type: 'json' };
import cliPackage from '../agents/package.json' with { type: 'json' };
import { readPage } from './page-snippets.ts';

const FIRST_SCREEN_LINES = 45;
/** The first lines of each door are two thirds of it: ten programs that a newcomer wrote without them did not compile. */
const MAX_LINES = 235;
const MAX_WORDS = 20;
const MAX_IMAGE_BYTES = 24_000;
const IMAGE = fileURLToPath(new URL('../../docs/images/refused-and-corrected.svg', import.meta.url));

const README = readPage('README.md');

/** Sentences of the prose: paragraphs, list items and cells, without code. */
function sentencesOf(page: string): readonly string[] {
  const prose = page
    .replaceAll(/^```[\s\S]*?^```$/gmu, '')
    .replaceAll(/<[^>]*>/gu, '')
    .replaceAll(/\]\([^)]*\)/gu, ']');
  const blocks = prose.split(/\n\s*\n|\n(?=[-|#]|\d+\. )|\|/u);
  return blocks.flatMap((block) => block.replaceAll('\n', ' ').split(/(?<=[.?!])\**\s/u));
}

describe('README', () => {
  it('shows what it is, how to start, an example and the doors on the first screen', () => {
    const first = README.slice(0, README.indexOf('\n## ')).trimEnd();
    expect(first).toContain('<img src="docs/images/');
    expect(first).toContain('docs/first-answer.md');
    expect(first.split('\n').length).toBeLessThanOrEqual(FIRST_SCREEN_LINES);
    expect(README.split('\n').length).toBeLessThanOrEqual(MAX_LINES);
  });

  it('has sentences of at most 20 words', () => {
    const long = sentencesOf(README).filter((sentence) => sentence.trim().split(/\s+/u).length > MAX_WORDS);
    expect(long).toEqual([]);
  });

  it('names scripts that exist, and the supported version of Node', () => {
    const commands = [...README.matchAll(/npm run (?<name>[\w:-]+)/gu)].map(({ groups }) => groups?.['name']);
    expect(commands.length).toBeGreaterThan(0);
    expect(Object.keys(packageJson.scripts)).toEqual(expect.arrayContaining(commands));
    expect(README).toContain(`Node ${truecast.engines.node.replace('>=', '')}`);
  });

  it('has only figures that a test or a benchmark holds', () => {
    const source = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
    const rows = README.split('\n').filter((line) => /\| \[(?:test|benchmark)\]\(/u.test(line));
    expect(rows).toHaveLength(5);
    const [, packages, megabytes] = /truecast: \{ packages: (\d+), bytes: (\d+) \* MB \}/u.exec(
      source('test/package/install.test.ts'),
    ) ?? ['none'];
    expect(README).toContain(`installs at most ${packages} packages and ${megabytes} MB |`);
    const bundle = /\boutput', names: \['\*'\], maxBytes: (?<bytes>[\d_]+)/u.exec(
      source('test/package/bundle.test.ts'),
    );
    const kilobytes = Math.ceil(Number(bundle?.groups?.['bytes']?.replaceAll('_', '')) / 1_000);
    expect(README).toContain(`is at most ${kilobytes} KB in a browser bundle |`);
  });
});

it('the recording is small, loads nothing, and shows an answer refused and corrected', () => {
  const svg = readFileSync(IMAGE, 'utf8');
  expect(statSync(IMAGE).size).toBeLessThanOrEqual(MAX_IMAGE_BYTES);
  expect(svg).not.toMatch(/<script|<image|<foreignObject|url\(|href="(?!#)/u);
  expect(svg).toContain('prefers-reduced-motion');
  const text = /<desc>(?<text>[\s\S]*)<\/desc>/u.exec(svg)?.groups?.['text'] ?? '';
  const [refused, corrected] = [text.indexOf('"line":"one"'), text.indexOf('"line":1')];
  expect(refused).toBeGreaterThan(-1);
  expect(corrected).toBeGreaterThan(refused);
});

it('the picture of the card is small, loads nothing, and ends with the value that was refused before', () => {
  const file = fileURLToPath(new URL('../../docs/images/answer-card.svg', import.meta.url));
  const svg = readFileSync(file, 'utf8');
  expect(statSync(file).size).toBeLessThanOrEqual(MAX_IMAGE_BYTES);
  expect(svg).not.toMatch(/<script|<image|<foreignObject|url\(|href=/u);
  expect(svg).toContain('prefers-reduced-motion');
  const states = [...svg.matchAll(/<g class="(?<state>\w+)"/gu)].map(({ groups }) => groups?.['state']);
  const changes = states.filter((state, at) => state !== states[at - 1]);
  expect(changes).toEqual(['waiting', 'draft', 'refused', 'draft', 'valid']);
  // A sentence of the product, and not of the picture.
  const refusal = describeRefusal({
    code: 'invalid',
    issues: [{ path: '/line', rule: 'Expected integer', got: '"twelve"' }],
  });
  expect(svg).toContain(`× attempt 1: ${refusal}`);
});

it('docs/tested.md names the installed versions of the agent CLIs', () => {
  const page = readPage('docs/tested.md');
  const versions = Object.entries(cliPackage.dependencies).filter(([name]) => !name.startsWith('@types/'));
  expect(versions.filter(([, version]) => !page.includes(version))).toEqual([]);
});
