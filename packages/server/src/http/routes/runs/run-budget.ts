/** Budget of a run: the limits that a configuration adds to a request, and those that it refuses. Pure. */
import type { CreateAgentRunBody } from '@truecast/client/internal/wire/runs/agent-run';
import type { RunOffers } from '../../../runs/agent-executor.ts';
import { refuseField } from '../../route.ts';

/**
 * Adds the default limits of tokens and dollars. Without a default, a maximum is the limit.
 *
 * @throws RequestRefusedError `invalid-body` for a limit above the maximum
 */
export function withBudget<TRequest extends Pick<CreateAgentRunBody, 'limits'>>(
  request: TRequest,
  { budget: { default: usual = {}, maximum = {} } = {} }: Pick<RunOffers, 'budget'> = {},
): TRequest {
  const limits = { ...request.limits };
  for (const name of ['tokens', 'usd'] as const) {
    const most = maximum[name] ?? Infinity;
    const asked = request.limits?.[name] ?? Math.min(usual[name] ?? most, most);
    if (asked > most) {
      throw refuseField('limits', `Must be at most ${most}, the maximum of this server.`, `/${name}`);
    }
    if (asked !== Infinity) limits[name] = asked;
  }
  return Object.keys(limits).length === 0 ? request : { ...request, limits };
}
