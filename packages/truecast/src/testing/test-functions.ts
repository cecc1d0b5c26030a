/** Functions of a test runner, passed in or global. */

/** Functions of the test runner: Vitest, `node:test`, Jest. */
export interface ContractTestFunctions {
  readonly describe: (name: string, define: () => void) => void;
  readonly it: (name: string, run: () => Promise<void>) => void;
}

/** Returns the given functions, or the runner's globals. */
export function testFunctions(functions: ContractTestFunctions | undefined): ContractTestFunctions {
  // Test runners do not export types for their globals.
  return functions ?? (globalThis as unknown as ContractTestFunctions);
}
