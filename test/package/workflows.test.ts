/** Checks the workflows and templates of `.github`: valid YAML, trusted actions, no registry. */
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { parse } from 'yaml';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const files = globSync('.github/**/*.yml', { cwd: ROOT }).sort();
const textOf = (file: string): string => readFileSync(`${ROOT}${file}`, 'utf8');

it('has workflows and issue templates', () => {
  expect(files).toEqual(
    expect.arrayContaining([
      '.github/workflows/ci.yml',
      '.github/workflows/release.yml',
      '.github/ISSUE_TEMPLATE/bug.yml',
    ]),
  );
});

it.each(files)('%s is YAML, with actions of `actions/` at a major version', (file) => {
  expect(parse(textOf(file))).toBeTypeOf('object');
  const actions = [...textOf(file).matchAll(/\buses: *(\S+)/gu)].map((match) => match[1]);
  expect(actions.filter((action) => !/^actions\/[\w-]+@v\d+$/u.test(action ?? ''))).toEqual([]);
  expect(textOf(file)).not.toMatch(/registry/iu);
});

it('checks the release before it publishes, with provenance and a list of components', () => {
  const release = textOf('.github/workflows/release.yml');
  const order = [
    'check-release.ts',
    '.ci/run',
    'needs: check',
    'npm run pack',
    'write-sbom.ts',
    'npm publish --provenance',
  ];
  const places = order.map((text) => release.indexOf(text));
  expect(places).not.toContain(-1);
  expect(places).toEqual(places.toSorted((left, right) => left - right));
});
