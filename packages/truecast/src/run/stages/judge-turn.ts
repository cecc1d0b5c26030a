/** Verdict on one turn of the agent: success, or the error of its process or its model service. */
import { AgentError, type AgentErrorOptions } from '@truecast/core/internal/errors/agent-error';
import { cut } from '@truecast/core/internal/kit/describe-value';
import { readUsageLimit } from '../../agents/stream/usage-limit.ts';
import type { AgentEvent } from '../../ports/agent-provider.ts';
import { errorLine } from '../../support/error-line.ts';
import type { WorkingContext } from '../context/run-context.ts';
import type { AgentProcessResult, TurnFailure } from '../turn/run-agent-turn.ts';

/** An agent has succeeded if it exited with 0 and sent its final event, with no error after it. */
export function judgeTurn(
  turn: AgentProcessResult,
  { options, mask }: WorkingContext,
): AgentError | undefined {
  // A missing answer is handled by the caller's retries. It is not a failure of the agent.
  if (turn.isCompletedByTimeout || (options.mode === 'native' && turn.failure?.isAnswerMissing === true)) {
    return undefined;
  }
  const { name, hasEndEvent } = options.agent;
  // Masked before it is truncated, because the mask would not find a partial secret.
  const stderrTail = mask.mask(turn.stderrTail);
  const evidence = { exitCode: turn.exitCode, stderrTail, elapsedMs: turn.elapsedMs };
  if (turn.failure !== undefined) {
    return serviceError(
      { name, failure: { ...turn.failure, message: mask.mask(turn.failure.message) } },
      evidence,
    );
  }
  if (turn.exitCode !== 0) {
    const reason = stderrTail.trim() === '' ? mask.mask(turn.resultText) : stderrTail;
    return new AgentError(
      `The agent \`${name}\` exited with code ${turn.exitCode}: ${asSentence(cut(errorLine(reason)))} Its work is kept; see the log.`,
      {
        ...evidence,
        code: 'exit',
      },
    );
  }
  if (turn.hasEnded || hasEndEvent !== true) return undefined;
  return new AgentError(
    `The agent \`${name}\` exited with code 0 without its final event. Its work is kept; check its version with \`truecast doctor\`.`,
    {
      ...evidence,
      code: 'incomplete',
    },
  );
}

/**
 * Returns the error for a warning that the agent's key was refused, which no retry can fix. Claude
 * Code repeats such a request for three minutes.
 */
export function keyError(
  { options, hasFixedKey, mask }: WorkingContext,
  { message, statusCode }: Extract<AgentEvent, { readonly type: 'warning' }>,
): AgentError | undefined {
  if (!hasFixedKey || !isRefused(statusCode)) return undefined;
  return refusedError(options.agent.name, { said: asSentence(cut(mask.mask(message))), statusCode });
}

function isRefused(statusCode: number | undefined): statusCode is 401 | 403 {
  return statusCode === 401 || statusCode === 403;
}

function refusedError(
  name: string,
  { said, ...options }: Omit<AgentErrorOptions, 'code'> & { readonly said: string },
): AgentError {
  return new AgentError(
    `The model service refused the key or login of the agent \`${name}\` (status ${options.statusCode}): ${said} Check the key in its environment, or log in again.`,
    { ...options, code: 'authentication' },
  );
}

interface ServiceFailure {
  readonly name: string;
  /** With secrets masked. */
  readonly failure: TurnFailure;
}

function serviceError(
  { name, failure }: ServiceFailure,
  evidence: Omit<AgentErrorOptions, 'code'>,
): AgentError {
  const { message, statusCode } = failure;
  const options = { ...evidence, ...(statusCode !== undefined && { statusCode }) };
  const said = asSentence(cut(message));
  if (isRefused(statusCode)) return refusedError(name, { ...options, said, statusCode });
  const limit = readUsageLimit(failure, new Date());
  if (limit === undefined) {
    const status = statusCode === undefined ? '' : ` (status ${statusCode})`;
    return new AgentError(`The agent \`${name}\` gave up${status}: ${said} Its work is kept; see the log.`, {
      ...options,
      code: 'api',
    });
  }
  const { resetsAt } = limit;
  const reset = resetsAt === undefined ? '' : ` The limit resets at ${resetsAt.toISOString()}.`;
  return new AgentError(
    `The agent \`${name}\` reached a limit of its model service: ${said}${reset} Its work is kept. To wait and continue, set \`policies.onLimit: 'wait'\`.`,
    { ...options, code: 'rate-limit', ...(resetsAt !== undefined && { resetsAt }) },
  );
}

/** An agent reports an unreachable model in its own terms. The proxy knows the cause. */
export function namingModel(error: unknown, { progress, mask }: WorkingContext): unknown {
  const { modelFailure } = progress;
  if (modelFailure === undefined || !AgentError.isInstance(error)) return error;
  const { code, cause, message } = error;
  const named = new AgentError(`${mask.mask(modelFailure)} ${message}`, { code, cause });
  return Object.assign(named, Object.fromEntries(Object.entries(error)));
}

/** Ends an agent's text as a sentence, so that more text can follow. */
function asSentence(text: string): string {
  return /[.!?…]$/u.test(text) ? text : `${text}.`;
}
