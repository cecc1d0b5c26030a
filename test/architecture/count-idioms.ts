/**
 * Idiom counter: fails if more than 3 % of the comment lines contain an idiom instead of plain
 * technical English. `npm run check:language -- --list` prints each such line.
 */
import { readFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';

const MAX_SHARE = 0.03;
const MIN_WORDS = 4;

const IDIOMS = new RegExp(
  [
    String.raw`\b(?:tells?|told|telling)\b`,
    String.raw`\b(?:stands?|standing|stood)\b`,
    String.raw`\b(?:is|are|was|were) (?:none|no [a-z]+)\b`,
    String.raw`\b(?:nobody|whoever|somebody|anybody)\b`,
    String.raw`\bmend(?:s|ed|ing)?\b`,
    String.raw`\b(?:meanwhile|by then|all the same|in its place|as they are|as it is)\b`,
    String.raw`\b[Ww]hat (?:is|are|was|were|a|an|the|it|one|its)\b`,
    String.raw`\bof (?:its|their|his|our|ours|one's) own\b|\bof (?:ours|theirs|yours|its)\b`,
  ].join('|'),
  'u',
);

/** Comment lines of a source text: at least four words, no tag of a docstring. */
export function commentLines(source: string): readonly string[] {
  return source
    .split('\n')
    .map((line) => /^\s*(?:\/\*\*|\*(?!\/)|\/\/)\s?(.*?)(?:\*\/)?$/u.exec(line)?.[1]?.trim() ?? '')
    .filter((text) => text.split(/\s+/u).length >= MIN_WORDS && !text.startsWith('@'));
}

/** True if a line contains an idiom. */
export function hasIdiom(line: string): boolean {
  return IDIOMS.test(line);
}

function main(): void {
  const listed = execFileSync('git', ['ls-files', '-z', '*.ts', '*.tsx'], { encoding: 'utf8' });
  let lines = 0;
  const idioms: string[] = [];
  for (const path of listed.split('\0').filter((name) => name !== '')) {
    const comments = commentLines(readFileSync(path, 'utf8'));
    lines += comments.length;
    idioms.push(...comments.filter(hasIdiom).map((line) => `${path}: ${line}`));
  }
  if (process.argv.includes('--list')) process.stdout.write(`${idioms.join('\n')}\n`);
  const share = idioms.length / lines;
  const percent = (value: number): string => `${(100 * value).toFixed(1)} %`;
  process.stdout.write(`${idioms.length} of ${lines} comment lines contain an idiom (${percent(share)})\n`);
  if (share <= MAX_SHARE) return;
  process.stderr.write(`At most ${percent(MAX_SHARE)} are allowed. List them with --list.\n`);
  process.exitCode = 1;
}

if (import.meta.main) main();
