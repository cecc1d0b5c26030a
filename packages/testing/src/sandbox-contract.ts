/** Sandbox contract: a test suite for every sandbox provider, for any test runner. */
import { assertKind } from '@truecast/core/internal/errors/usage-error';
import { sandboxBehaviours, type ContractSubject } from './sandbox-contract-behaviours.ts';
import { testFunctions, type ContractTestFunctions } from './test-functions.ts';

export interface SandboxContractOptions extends ContractSubject {
  /**
   * Behaviours that this provider cannot support: title and reason. They are reported as skipped.
   */
  readonly skip?: Readonly<Record<string, string>>;
}

/**
 * Declares one test per behaviour of a sandbox: streaming, exit codes, large stdin and output, kill
 * of the process tree, working directory, environment, files, commits and closing.
 *
 * Each test creates a repository with a worktree in the temporary folder and removes it. Needs
 * `git` on the PATH. Without `functions` the runner's globals are used.
 *
 * @example
 * ```ts
 * sandboxContract('no sandbox', { provider: noSandbox() }, { describe: (_name, define) => define(), it: (_name, run) => void run() });
 * ```
 * @public
 */
export function sandboxContract(
  name: string,
  options: SandboxContractOptions,
  functions?: ContractTestFunctions,
): void {
  assertKind(name, 'a string', 'name', 'Pass the name of the sandbox.');
  assertKind(options, 'an object', 'options', 'Pass `{ provider }`.');
  const { describe, it } = testFunctions(functions);
  const { skip = {} } = options;
  describe(`sandbox contract: ${name}`, () => {
    for (const [title, behave] of Object.entries(sandboxBehaviours)) {
      const reason = skip[title];
      if (reason === undefined) it(title, () => behave(options));
      else it(`${title} (skipped: ${reason})`, () => Promise.resolve());
    }
  });
}
