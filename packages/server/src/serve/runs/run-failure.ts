/**
 * Failure of an agent run: code, reason and message of the receipt, from the error of `run()`. The
 * message never quotes the agent. Pure.
 */
import { AgentError } from '@truecast/core/internal/errors/agent-error';
import { TruecastError } from '@truecast/core/internal/errors/base/truecast-error';
import { LimitError } from '@truecast/core/internal/errors/limit-error';
import { RepositoryError } from '@truecast/core/internal/errors/repository-error';
import { SandboxError } from '@truecast/core/internal/errors/sandbox-error';
import { StructuredOutputError } from '@truecast/core/internal/errors/structured-output-error';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { cut } from '@truecast/core/internal/kit/describe-value';
import { parseBoundedJson } from '@truecast/core/internal/json/bounded-json';
import { unwrapFence } from '@truecast/core/internal/output/scan/json-reader';
import { withGot, withoutGot } from '@truecast/core/internal/output/validate/describe-refusal';
import { pointerOf } from '@truecast/core/internal/schema/dialects/analysis/schema-place';
import { isDiskFull, storageError } from 'truecast/internal/support/storage-error';
import type { RunFailure } from '../../runs/agent-executor.ts';

interface Kind {
  readonly code: RunFailure['code'];
  isInstance(error: unknown): boolean;
  readonly message: string;
}

const KINDS: readonly Kind[] = [
  {
    code: 'structured_output_not_produced',
    isInstance: (error) => StructuredOutputError.isInstance(error),
    message:
      'The agent gave no answer that the schema accepts. Read `attempts` of the receipt. Then change the prompt or the schema, or raise `max_corrections`.',
  },
  {
    code: 'limit_reached',
    isInstance: (error) => LimitError.isInstance(error),
    message: 'The run reached a limit. Its work is kept on its branch. Raise `limits`, and retry.',
  },
  {
    code: 'agent_failed',
    isInstance: (error) => AgentError.isInstance(error),
    message: 'The agent failed. Read `error.detail`. Its work is kept on its branch. Retry.',
  },
  {
    code: 'sandbox_failed',
    isInstance: (error) => SandboxError.isInstance(error),
    message:
      'The sandbox of the worker failed. Check it there with `truecast doctor`, and retry. Its work is kept on its branch.',
  },
  {
    // The request has the name, so nothing of the repository can be fixed.
    code: 'configuration_error',
    isInstance: (error) => RepositoryError.isInstance(error) && error.code === 'invalid-branch',
    message:
      'The `branch` or the `ref` of the request cannot be used. Read `error.detail`. Then send another one.',
  },
  {
    code: 'repository_failed',
    isInstance: (error) => RepositoryError.isInstance(error),
    message:
      "The worker's repository cannot be used for the run. Read `error.detail`, fix it there, and retry.",
  },
  {
    code: 'configuration_error',
    isInstance: (error) => UsageError.isInstance(error),
    message:
      'The worker cannot execute this run with its configuration. Read `error.detail`. Then change the request or the configuration, and retry.',
  },
];

const MAX_DETAIL = 2_000;

/** The first error can be that of a sandbox, whose copy of the work failed. */
const DISK_FULL =
  'No space is left on a disk of the worker. Committed work is kept. Read `error.detail`, free some space there, and retry.';

/** Returns the error of the receipt. Undefined for an error that is a fault of the server. */
export function toRunFailure(thrown: unknown): RunFailure | undefined {
  // Errors of the system from writes of the worker itself.
  const error = storageError(thrown);
  const kind = KINDS.find(({ isInstance }) => isInstance(error));
  if (kind === undefined || !TruecastError.isInstance(error)) return undefined;
  const { code, message } = kind;
  const detail = cut(error.message, MAX_DETAIL);
  if (isDiskFull(error)) return { code, reason: 'disk_full', message: DISK_FULL, detail };
  return { code, reason: toSnakeCase(error.code), message, detail, ...refusalOf(error) };
}

/** The first problem of the last answer, and the number of answers. */
function refusalOf(error: TruecastError): Pick<RunFailure, 'first_issue' | 'attempt_count'> {
  if (!StructuredOutputError.isInstance(error)) return {};
  const { issues, attempts, rawMatched } = error;
  const [first] = issues;
  if (first === undefined) return { attempt_count: attempts.length };
  const parsed = rawMatched === undefined ? undefined : parseBoundedJson(unwrapFence(rawMatched));
  const value = parsed?.success === true ? parsed.value : undefined;
  const { rule, ...place } = withGot({ path: pointerOf(first.path), rule: first.message }, value);
  const message = cut(withoutGot(rule, place.got));
  return { first_issue: { ...place, message }, attempt_count: attempts.length };
}

/** Converts a code of the library to its form on the wire. */
export function toSnakeCase(code: string): string {
  return code.replaceAll('-', '_');
}
