/** Functions of a test runner, passed in or global. */

import { assertKind } from '@truecast/core/internal/errors/usage-error';
/** Functions of the test runner: Vitest, `node:test`, Jest. */
export interface ContractTestFunctions {
  readonly describe: (name: string, define: () => void) => void;
  readonly it: (name: string, run: () => Promise<void>) => void;
}

/** Returns the given functions, or the runner's globals. */
export function testFunctions(functions: ContractTestFunctions | undefined): ContractTestFunctions {
  // Test runners do not export types for their globals.
  const found = functions ?? (globalThis as unknown as ContractTestFunctions);
  const next = 'Call it in a test file, or pass `{ describe, it }`.';
  assertKind(found, 'an object', 'functions', next);
  assertKind(found.describe, 'a function', 'functions.describe', next);
  assertKind(found.it, 'a function', 'functions.it', next);
  return found;
}
