/** Request for the use of an owner's quotas. Not a member of the client, whose bundle is limited. */
import { toConnection, type ClientOptions } from './create-client.ts';
import { callServer } from './calls/http-caller.ts';
import { usageView, type UsageView } from './wire/account.ts';

/**
 * Returns the use.
 *
 * @param owner - needs a token with the scope `admin`; if absent, the token's owner
 * @throws ServerError
 */
export async function requestUsage(server: ClientOptions, owner?: string): Promise<UsageView> {
  const path = owner === undefined ? '/api/usage' : `/api/usage/${encodeURIComponent(owner)}`;
  return callServer(toConnection(server), { method: 'GET', path, shape: usageView });
}
