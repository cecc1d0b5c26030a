/** Levels of sensitive changes, for all of them or by kind. */
import { expect, it } from 'vitest';
import type { SensitiveChange } from '@truecast/core/internal/errors/base/run-evidence';
import {
  assertSensitiveChangesPolicy,
  DEFAULT_SENSITIVE_CHANGES_POLICY,
  listedChanges,
  refusedChanges,
  type SensitiveChangesPolicy,
} from './sensitive-changes-policy.ts';

const hook: SensitiveChange = {
  path: '.husky/pre-commit',
  reason: 'hook',
  runsAt: 'git',
  change: 'added',
  source: 'commits',
};
const task: SensitiveChange = { ...hook, path: '.vscode/tasks.json', reason: 'hook', runsAt: 'editor' };
const moved: SensitiveChange = { ...task, path: 'nested', movedTo: '/elsewhere' };
const all = [hook, task, moved];

it.each<[SensitiveChangesPolicy, refused: readonly SensitiveChange[], listed: readonly SensitiveChange[]]>([
  [DEFAULT_SENSITIVE_CHANGES_POLICY, [hook], all],
  ['error', all, all],
  ['warn', [], all],
  // A repository that was moved out of the checkout is listed in any case.
  ['allow', [], [moved]],
  [{ git: 'warn', others: 'allow' }, [], [hook, moved]],
])('%j refuses and lists what its levels say', (policy, refused, listed) => {
  expect(refusedChanges(all, policy)).toEqual(refused);
  expect(listedChanges(all, policy)).toEqual(listed);
});

it.each([
  [
    'strict',
    "Expected `policies.sensitiveChanges` to be 'error', 'warn' or 'allow', got `\"strict\"` (string).",
  ],
  [null, 'got `null`'],
  [{ git: 'error' }, "Expected `policies.sensitiveChanges.others` to be 'error', 'warn' or 'allow'"],
  [{ git: 'error', other: 'warn' }, 'Did you mean `others`?'],
])('%j is refused with what is expected', (policy, message) => {
  expect(() => assertSensitiveChangesPolicy(policy)).toThrow(message);
});
