/**
 * API report: pins the types of each published package in one file in `api/`. A change of a
 * signature is deliberate (`vitest run --project long test/package/api-report.test.ts -u`).
 */
import { globSync, readFileSync } from 'node:fs';
import { relative, join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { sharedTarballs } from './shared-build.ts';
import { PUBLISHED } from './unpack-packages.ts';

const COMMENTS = /^[ \t]*\/\*\*[^]*?\*\/\n|^\/\/(?:#region|#endregion|# ).*\n/gmu;

/** The declarations of a built package, without comments. Internal entries are not published API. */
function declarationsOf(folder: string): string {
  const dist = join(import.meta.dirname, '../../packages', folder, 'dist');
  return globSync(`${dist}/**/*.d.mts`)
    .filter((path) => !relative(dist, path).startsWith('internal'))
    .sort()
    .map(
      (path) => `// ${path.slice(dist.length + 1)}\n${readFileSync(path, 'utf8').replaceAll(COMMENTS, '')}`,
    )
    .join('\n');
}

// Packing builds the packages.
beforeAll(() => sharedTarballs(), 240_000);

it.each(PUBLISHED)('the types of %s are those of its API report', async (folder) => {
  await expect(declarationsOf(folder)).toMatchFileSnapshot(`api/${folder}.txt`);
});
