/**
 * API report: pins the types of each published package in one file in `api/`, one declaration after the
 * other by name. A change of a signature or of an option is deliberate
 * (`vitest run --project long test/package/api-report.test.ts -u`).
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { manifestOf } from '../architecture/source-tree.ts';
import { sharedTarballs } from './shared-build.ts';
import { PUBLISHED } from './unpack-packages.ts';

/** Comments, and lines that only say in which file of the build a name is. */
const NOISE = /^[ \t]*\/\*\*[^]*?\*\/\n|^(?:\/\/|import |export \{).*$/gmu;
/** A file of the same build, in an import or a passed-on export. */
const OWN_FILE = /(?:from |import |import\()["'](\.[^"']+)["']/gu;
const START = /^(?=(?:export )?(?:abstract|class|const|declare|enum|function|interface|namespace|type)\b)/mu;

/** Returns the name of a declaration and its text, without the numbers that a build adds to equal names. */
function named(declaration: string): readonly [name: string, text: string] {
  const text = declaration.trim().replaceAll(/\b(\w+)\$\d+\b/gu, '$1');
  const name =
    /^(?:export |declare |abstract )*(?:class|const|enum|function|interface|namespace|type) (\w+)/u;
  return [name.exec(text)?.[1] ?? '', text];
}

/**
 * The declarations of a built package, without comments. Internal entries are not published API, nor is a
 * file that only they import.
 */
function declarationsOf(folder: string): string {
  const all = [...publicDeclarations(folder)]
    .flatMap((path) => readFileSync(path, 'utf8').replaceAll(NOISE, '').split(START))
    .map(named)
    .filter(([, text]) => text !== '');
  const texts = all
    .toSorted(([a, one], [b, other]) => a.localeCompare(b, 'en') || one.localeCompare(other, 'en'))
    .map(([, text]) => text);
  return `${[...new Set(texts)].join('\n')}\n`;
}

/** Files of the declarations that an import of a public entry reads. */
function publicDeclarations(folder: string): ReadonlySet<string> {
  const dist = join(import.meta.dirname, '../../packages', folder, 'dist');
  const found = new Set<string>();
  const visit = (path: string): void => {
    if (found.has(path)) return;
    found.add(path);
    for (const [, target = ''] of readFileSync(path, 'utf8').matchAll(OWN_FILE)) {
      visit(join(path, '..', target.replace(/\.mjs$/u, '.d.mts')));
    }
  };
  for (const subpath of Object.keys(manifestOf(folder).exports)) {
    if (/^\.\/(?:internal|package\.json)/u.test(subpath)) continue;
    visit(join(dist, `${subpath === '.' ? 'index' : subpath.slice(2)}.d.mts`));
  }
  return found;
}

// Packing builds the packages.
beforeAll(() => sharedTarballs(), 240_000);

it.each(PUBLISHED)('the types of %s are those of its API report', async (folder) => {
  await expect(declarationsOf(folder)).toMatchFileSnapshot(`api/${folder}.txt`);
});

it.each(PUBLISHED)('the types of %s name only modules that our packages export', (folder) => {
  const dist = join(import.meta.dirname, '../../packages', folder, 'dist');
  const named = globSync(`${dist}/**/*.d.mts`).flatMap((path) =>
    [
      ...readFileSync(path, 'utf8').matchAll(
        /(?:from |import\()["'](@truecast\/[^"']+|truecast\/[^"']+)["']/gu,
      ),
    ].map(([, module = '']) => module),
  );
  const exported = PUBLISHED.flatMap((each) => {
    const { name, publishConfig } = manifestOf(each);
    return Object.keys(publishConfig?.exports ?? {}).map((subpath) => name + subpath.slice(1));
  });
  expect([...new Set(named)].filter((module) => !exported.includes(module))).toEqual([]);
});
