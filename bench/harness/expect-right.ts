/** Correctness check: no contestant is timed for a wrong answer. */
import { isDeepStrictEqual } from 'node:util';

/** Throws unless the contestant's answer equals the expected one. */
export function expectRight(contestant: string, actual: unknown, expected: unknown): void {
  if (isDeepStrictEqual(actual, expected)) return;
  throw new Error(
    `${contestant} gave ${show(actual)} instead of ${show(expected)}; its time would mean nothing.`,
  );
}

function show(value: unknown): string {
  return (JSON.stringify(value) ?? String(value)).slice(0, 200);
}
