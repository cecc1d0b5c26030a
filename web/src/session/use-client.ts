/** Client of the session. Only pages of chats load it. */
import { createClient, type Client } from '@truecast/client';
import { useSession, type Session } from './session.tsx';

const clients = new WeakMap<Session, Client>();

/** Returns the client, the same one for the whole session. */
export function useClient(): Client {
  const session = useSession();
  let client = clients.get(session);
  if (client === undefined) {
    client = createClient(session.connection);
    clients.set(session, client);
  }
  return client;
}
