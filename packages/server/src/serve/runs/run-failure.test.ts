/** Failures of agent runs: codes and messages of the receipt, by the error of `run()`. */
import { expect, it } from 'vitest';
import { AgentError } from '@truecast/core/internal/errors/agent-error';
import { LimitError } from '@truecast/core/internal/errors/limit-error';
import { RepositoryError } from '@truecast/core/internal/errors/repository-error';
import { SandboxError } from '@truecast/core/internal/errors/sandbox-error';
import { StructuredOutputError } from '@truecast/core/internal/errors/structured-output-error';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { toRunFailure } from './run-failure.ts';

const SAID = 'The agent said: call 0900 now.';

it.each([
  [
    new StructuredOutputError(SAID, { code: 'tag-not-found' }),
    'structured_output_not_produced',
    'tag_not_found',
  ],
  [new AgentError(SAID, { code: 'idle-timeout' }), 'agent_failed', 'idle_timeout'],
  [new LimitError(SAID, { code: 'money' }), 'limit_reached', 'money'],
  [new SandboxError(SAID, { code: 'start' }), 'sandbox_failed', 'start'],
  [new RepositoryError(SAID, { code: 'git-failed' }), 'repository_failed', 'git_failed'],
  [new RepositoryError(SAID, { code: 'invalid-branch' }), 'configuration_error', 'invalid_branch'],
  [new UsageError(SAID), 'configuration_error', 'invalid_option'],
])('%s', (error, code, reason) => {
  const failure = toRunFailure(error);
  expect(failure).toMatchObject({ code, reason, detail: SAID });
  expect(failure?.message).not.toContain('0900');
});

it.each([
  [new RepositoryError(SAID, { code: 'disk-full' }), 'repository_failed'],
  [Object.assign(new Error(SAID), { code: 'ENOSPC', syscall: 'write', path: '/r/x' }), 'repository_failed'],
  [
    new SandboxError(SAID, { code: 'sync', cause: new RepositoryError(SAID, { code: 'disk-full' }) }),
    'sandbox_failed',
  ],
])('names the full disk of %s', (error, code) => {
  const failure = toRunFailure(error);
  expect(failure).toMatchObject({ code, reason: 'disk_full' });
  expect(failure?.message).toMatch(/^No space is left on a disk of the worker\./u);
});

it('names the first problem of the last answer, as the lists of chats do', () => {
  const attempt = { code: 'schema-mismatch', message: 'x' };
  const failure = (rawMatched: string, end = '') =>
    toRunFailure(
      new StructuredOutputError(SAID, {
        code: 'schema-mismatch',
        issues: [{ path: ['a/b', 0], message: `Expected integer${end}` }],
        rawMatched,
        attempts: [attempt, attempt],
      }),
    );
  const first_issue = { path: '/a~1b/0', message: 'Expected integer', got: '"x"' };
  expect(failure('```json\n{"a/b":["x"]}\n```')).toMatchObject({ first_issue, attempt_count: 2 });
  expect(failure('{"a/b":["x"]}', ', got "x"')).toMatchObject({ first_issue });
  expect(failure('{')?.first_issue).not.toHaveProperty('got');
});

it('is undefined for a fault of the server', () => {
  expect(toRunFailure(new TypeError('x is undefined'))).toBeUndefined();
});
