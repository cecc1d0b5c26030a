/** Checks that `docs/errors.md` and `packages/core/src/errors` have the same codes. */
import { expect, it } from 'vitest';
import { readSource, sourceFiles } from './source-tree.ts';

it('documents every error code, and no other', () => {
  expect(documentedCodes()).toEqual(codesInSource());
});

/** `ErrorName code`, from the tables. */
function documentedCodes(): string[] {
  const sections = readSource('docs/errors.md').split(/^## /mu).slice(1);
  return sections
    .flatMap((section) => {
      const name = /^`(\w+)`/u.exec(section)?.[1];
      return [...section.matchAll(/^\| `([a-z-]+)` \|/gmu)].map((match) => `${name} ${match[1]}`);
    })
    .sort();
}

/** `ErrorName code`, from the unions of the classes. */
function codesInSource(): string[] {
  return sourceFiles('packages/core/src/errors')
    .flatMap((path) => {
      const text = readSource(path);
      const name = /export class (\w+Error) /u.exec(text)?.[1];
      const union =
        /export type \w+ErrorCode =([^;]+);/u.exec(text)?.[1] ??
        /declare readonly code: ('[a-z-]+');/u.exec(text)?.[1] ??
        '';
      return [...union.matchAll(/'([a-z-]+)'/gu)].map((match) => `${name} ${match[1]}`);
    })
    .sort();
}
