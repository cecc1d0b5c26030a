/** Request for the use of an owner's quotas. Not a member of the client, whose bundle is limited. */
import { number, object, oneOf, optional, string, type Shape } from '@truecast/core/internal/shape/shape';
import { toConnection, type ClientOptions } from './create-client.ts';
import { callServer } from './http-caller.ts';
import type { UsageView } from './wire/account.ts';

/**
 * Returns the use.
 *
 * @param owner - needs a token with the scope `admin`; if absent, the token's owner
 * @throws ServerError
 */
export async function requestUsage(server: ClientOptions, owner?: string): Promise<UsageView> {
  const path = owner === undefined ? '/api/usage' : `/api/usage/${encodeURIComponent(owner)}`;
  return callServer(toConnection(server), { method: 'GET', path, shape: usageCheck });
}

export const usageCheck: Shape<UsageView> = object({
  owner: string,
  period: optional(
    object({
      name: oneOf('day', 'month'),
      resets_at: string,
      turns: number,
      tokens: number,
      cost_usd: number,
    }),
  ),
  chats: number,
  concurrent_turns: number,
  limits: object({
    turns: optional(number),
    tokens: optional(number),
    cost_usd: optional(number),
    chats: optional(number),
    concurrent_turns: optional(number),
  }),
});
