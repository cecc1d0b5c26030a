/** Checks that the linter, which reports the errors of types in a whole check, has the compiler of the build. */
import { expect, it } from 'vitest';
import { z } from 'zod';
import linter from 'oxlint-tsgolint/package.json' with { type: 'json' };
import compiler from 'typescript/package.json' with { type: 'json' };

/** The linter counts its own releases in the last three digits: 7.0.2004 has the compiler 7.0.2. */
it('the linter has the version of the compiler', () => {
  const { version } = z.object({ version: z.string() }).parse(linter);
  expect(version.replace(/\d{3}$/u, '')).toBe(z.object({ version: z.string() }).parse(compiler).version);
});
