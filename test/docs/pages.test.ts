/** Checks the pages: programs run and print what the page shows, code fits, and links lead somewhere. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { anchorsOf } from '../../site/prepare/markdown.ts';
import { declarePrograms } from '../program-session.ts';
import { inRepository, readPage, runnableSnippets, snippetsOf, userPages } from './page-snippets.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const MAX_COLUMNS = 80;

function brokenLinksOf(page: string): readonly string[] {
  const text = readPage(page).replaceAll(/^```[\s\S]*?^```$/gmu, '');
  const links = [...text.matchAll(/\]\((?<target>[^)\s]+)\)|(?:src|srcset|href)="(?<source>[^"]+)"/gu)];
  return links
    .map(({ groups }) => groups?.['target'] ?? groups?.['source'] ?? '')
    .filter((target) => !/^https?:/u.test(target))
    .filter((target) => {
      const [path = '', anchor] = target.split('#');
      const file = path === '' ? page : join(dirname(page), path);
      if (!existsSync(join(ROOT, file))) return true;
      return anchor !== undefined && file.endsWith('.md') && !anchorsOf(readPage(file)).has(anchor);
    });
}

describe.each(userPages())('%s', (page) => {
  it('has code blocks of at most 80 columns', () => {
    const long = snippetsOf(page).flatMap(({ code }) =>
      code.split('\n').filter((line) => line.length > MAX_COLUMNS),
    );
    expect(long).toEqual([]);
  });

  it('has programs with their imports', () => {
    const programs = snippetsOf(page).filter(({ info }) => info.split(' ')[0] === 'ts');
    expect(programs.filter(({ code }) => !code.startsWith('import ')).map(({ line }) => line)).toEqual([]);
  });

  it('has links that lead to a file or a heading', () => {
    expect(brokenLinksOf(page)).toEqual([]);
  });
});

it('lists each page in the index', () => {
  const index = readPage('docs/README.md');
  const pages = userPages().filter((page) => page.startsWith('docs/') && page !== 'docs/README.md');
  expect(pages.filter((page) => !index.includes(`](${page.slice('docs/'.length)})`))).toEqual([]);
});

describe('a program', () => {
  const programs = runnableSnippets('ts run');
  const runProgram = declarePrograms();

  it.each(programs.map((snippet) => [`${snippet.page}:${snippet.line}`, snippet] as const))(
    'of %s prints what the page shows',
    async (_name, snippet) => {
      expect(snippet.expected, 'has a `text out` block').toBeTypeOf('string');
      expect(snippet.code, 'runs on the oldest supported Node').not.toContain('await using');
      const shown = await inRepository(snippet, async (file, repo, home) => {
        const { stdout, stderr, exitCode } = await runProgram({ file, cwd: repo, env: { HOME: home } });
        expect(exitCode, stderr).toBe(0);
        return stdout;
      });
      expect(shown).toBe(snippet.expected);
    },
  );
});
