/** Problem codes of an operation: those that follow from its form, and those of its notes. */
import { PROBLEM_STATUS } from '../../contract/wire/problem-wire.ts';
import type { ProblemCode } from '../../contract/wire-codes.ts';
import { PROBLEM_REMEDIES } from './problem-remedies.ts';

/** The parts of a route that determine its possible problems. */
export interface OperationForm {
  readonly path: string;
  readonly isOpen?: boolean | undefined;
  readonly hasBody: boolean;
  readonly hasQuery: boolean;
  readonly takesIdempotencyKey?: boolean | undefined;
  readonly problems?: readonly ProblemCode[] | undefined;
}

/** A code with its status and its remedy. */
export interface OperationProblem {
  readonly code: ProblemCode;
  readonly status: number;
  readonly remedy: string;
}

/** Returns the problems, by status. */
export function operationProblems(form: OperationForm): readonly OperationProblem[] {
  const codes = new Set<ProblemCode>([
    ...(form.isOpen === true ? [] : (['unauthorized', 'rate_limited', 'too_many_open'] as const)),
    ...(form.path.startsWith('/api/chats/:id') ? (['chat_not_found'] as const) : []),
    ...(/^\/(?:api\/(?:tokens|runs|ensembles)|metrics$)/u.test(form.path) ? (['not_found'] as const) : []),
    ...(form.hasBody
      ? (['invalid_body', 'invalid_json', 'too_large', 'unsupported_media_type'] as const)
      : []),
    ...(form.hasQuery ? (['invalid_parameter'] as const) : []),
    ...(form.takesIdempotencyKey === true ? (['idempotency_mismatch'] as const) : []),
    ...(form.problems ?? []),
    'foreign_host',
    'foreign_origin',
    'internal',
    'unavailable',
  ]);
  return [...codes]
    .map((code) => ({ code, status: PROBLEM_STATUS[code], remedy: PROBLEM_REMEDIES[code] }))
    .sort((a, b) => a.status - b.status || a.code.localeCompare(b.code));
}
