/** Checks the changelog: the package's version has a heading, below the unreleased changes. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };

it('has Unreleased first, and then the version of the package', () => {
  const text = readFileSync(new URL('../../CHANGELOG.md', import.meta.url), 'utf8');
  const headings = [...text.matchAll(/^## (\S+)/gmu)].map((match) => match[1]);
  expect(headings.slice(0, 2)).toEqual(['Unreleased', packageJson.version]);
});
