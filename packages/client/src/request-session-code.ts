/** Request for a sign-in code. Not a member of the client, whose bundle is limited. */
import { toConnection, type ClientOptions } from './create-client.ts';
import { callServer } from './calls/http-caller.ts';
import { sessionCodeView, type SessionCodeView } from './wire/account.ts';

/**
 * Returns a code that opens one session of a browser for the token of `server`.
 *
 * @throws ServerError
 */
export async function requestSessionCode(server: ClientOptions): Promise<SessionCodeView> {
  return callServer(toConnection(server), {
    method: 'POST',
    path: '/api/session_codes',
    shape: sessionCodeView,
  });
}
