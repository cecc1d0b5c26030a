/** Escape suite: tries to break out of a sandbox, as tests for any test runner. */
import { assertKind } from '@truecast/core/internal/errors/usage-error';
import { SandboxError } from '@truecast/core/internal/errors/sandbox-error';
import { ESCAPE_ATTEMPTS, isPromisedBy, tryEscape } from 'truecast/internal/run/escapes/try-escapes';
import type { SandboxProvider } from 'truecast/internal/ports/sandbox-provider';
import { testFunctions, type ContractTestFunctions } from './test-functions.ts';

/** Options of `escapeSuite()`. */
export interface EscapeSuiteOptions {
  /** The provider to attack. */
  readonly sandbox: SandboxProvider;
  /**
   * Attempts that this provider does not promise to prevent: id and reason. They are reported as
   * skipped.
   */
  readonly skip?: Readonly<Record<string, string>>;
}

/**
 * Declares one test per escape attempt: files, secrets, network and processes of the host, the
 * repository's history, and code that the host runs at its next git command.
 *
 * Each test creates a repository in the temporary folder, runs a hostile agent in it, and removes
 * it. Needs `git` on the PATH, and a sandbox without network access to the host. An attempt whose
 * program is missing in the sandbox fails, unless `skip` lists it. Without `functions` the runner's
 * globals are used.
 *
 * @public
 * @example
 * ```ts
 * escapeSuite('bubblewrap', { sandbox: bubblewrap({ egress: 'none' }) }, { describe: (_name, define) => define(), it: (_name, run) => void run });
 * ```
 */
export function escapeSuite(
  name: string,
  options: EscapeSuiteOptions,
  functions?: ContractTestFunctions,
): void {
  assertKind(name, 'a string', 'name', 'Pass the name of the sandbox.');
  assertKind(options, 'an object', 'options', 'Pass `{ sandbox }`.');
  const { sandbox, skip = {} } = options;
  const { describe, it } = testFunctions(functions);
  describe(`escapes: ${name}`, () => {
    for (const attempt of ESCAPE_ATTEMPTS.filter((one) => isPromisedBy(sandbox, one))) {
      const reason = skip[attempt.id];
      if (reason !== undefined) {
        it(`${attempt.id} (skipped: ${reason})`, () => Promise.resolve());
        continue;
      }
      it(`does not let a guest ${attempt.title}`, async () => {
        const { outcome } = await tryEscape(sandbox, attempt);
        if (outcome === 'not-tried') {
          throw new SandboxError(
            `\`${attempt.id}\` was not tried, because a program is missing in the sandbox. Install it there, or pass \`skip: { '${attempt.id}': 'the reason' }\`.`,
            { code: 'unavailable' },
          );
        }
        if (outcome === 'escaped') {
          throw new SandboxError(`A guest could ${attempt.title} (\`${attempt.id}\`).`, {
            code: 'escape-attempt',
          });
        }
      });
    }
  });
}
