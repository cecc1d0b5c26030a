/** Owns what every sandbox provider must do, as a suite that a test file of any runner can run. */
import { sandboxBehaviours, type ContractSubject } from './sandbox-contract-behaviours.ts';

/** The test runner's own functions: Vitest's, `node:test`'s, Jest's. */
export interface ContractTestFunctions {
  readonly describe: (name: string, define: () => void) => void;
  readonly it: (name: string, run: () => Promise<void>) => void;
}

/** What is tested. */
export interface SandboxContractOptions extends ContractSubject {
  /** Behaviours that this provider cannot have: the behaviour's title, and why. Each stands in the report as skipped. */
  readonly skip?: Readonly<Record<string, string>>;
}

/**
 * Declares one test per behaviour of a sandbox: streaming, exit codes, large stdin and output, kill of the tree, working
 * directory, environment, files, commits and closing.
 *
 * Each test makes a repository with a worktree in the temporary folder, and removes it. Needs `git` on the PATH.
 * Without `functions` the runner's global ones are used.
 *
 * @example
 * ```ts
 * sandboxContract('no sandbox', { provider: noSandbox() }, { describe: (_name, define) => define(), it: (_name, run) => void run() });
 * ```
 */
export function sandboxContract(
  name: string,
  options: SandboxContractOptions,
  functions?: ContractTestFunctions,
): void {
  const { describe, it } = functions ?? globalFunctions();
  const { skip = {} } = options;
  describe(`sandbox contract: ${name}`, () => {
    for (const [title, behave] of Object.entries(sandboxBehaviours)) {
      const reason = skip[title];
      if (reason === undefined) it(title, () => behave(options));
      else it(`${title} (skipped: ${reason})`, () => Promise.resolve());
    }
  });
}

function globalFunctions(): ContractTestFunctions {
  // The names are a runner's, so nothing types them.
  return globalThis as unknown as ContractTestFunctions;
}
