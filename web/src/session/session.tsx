/** Session of the page: the access to this server, and the page that requests a token. */
import { createContext, use, useCallback, useEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { ServerError } from '@truecast/client';
import { dropToken, readToken, takeToken } from './access-token.ts';
import { useRoute } from 'wouter';
import { callServer, type CallOptions, type Connection } from '@truecast/client/internal/calls/http-caller';
import { followStream } from '@truecast/client/internal/calls/event-stream';
import { watchedFetch } from './connection.ts';
import { OwnerChangesProvider, type FollowChanges } from './owner-changes.tsx';
import { TokenPage } from './token-page.tsx';

/** Access to the server that serves this page. */
export interface Session {
  readonly connection: Connection;
  /** Calls a route. */
  readonly call: <T>(options: CallOptions<T>) => Promise<T>;
  /** Follows a stream that the client has no method for. */
  readonly follow: FollowChanges;
  /** Requests another token if the server rejected this one. */
  readonly onError: (error: unknown) => void;
}

const SessionContext = createContext<Session | undefined>(undefined);

export function useSession(): Session {
  const session = use(SessionContext);
  if (session === undefined) throw new TypeError('Expected a session around the page.');
  return session;
}

/** Returns the session, or undefined on a public page without a token. */
export function useOptionalSession(): Session | undefined {
  return use(SessionContext);
}

/**
 * Opens a session with the token, or shows the page that requests one. The address does not change.
 */
export function SessionProvider({ children }: { readonly children: ReactNode }): ReactNode {
  const [token, setToken] = useState(readToken);
  const [isRefused, setRefused] = useState(false);
  const used = useRef(token);
  useEffect(() => {
    used.current = token;
  }, [token]);
  const onError = useCallback((error: unknown): void => {
    if (!ServerError.isInstance(error) || error.statusCode !== 401) return;
    // Otherwise another tab has renewed the session.
    if (readToken() === used.current) {
      dropToken();
      setRefused(true);
    }
    setToken(readToken());
  }, []);
  // A link with a token, opened in this tab, changes only the fragment.
  useEffect(() => {
    const renew = (): void => {
      takeToken();
      setToken(readToken());
    };
    addEventListener('hashchange', renew);
    // Another tab has opened a session, or ended it.
    addEventListener('storage', renew);
    return () => {
      removeEventListener('hashchange', renew);
      removeEventListener('storage', renew);
    };
  }, []);
  const session = useMemo(
    () => (token === undefined ? undefined : openSession(token, onError)),
    [token, onError],
  );
  const queries = useMemo(() => openQueries(onError), [onError]);
  // The API reference needs no token.
  const [isPublic] = useRoute('/docs');
  if (session === undefined && !isPublic) {
    return <TokenPage isRefused={isRefused} onToken={() => setToken(readToken())} />;
  }
  return (
    <SessionContext value={session}>
      <QueryClientProvider client={queries}>
        {session !== undefined && <OwnerChangesProvider {...session} />}
        {children}
      </QueryClientProvider>
    </SessionContext>
  );
}

const MAX_RETRIES = 2;

function openSession(token: string, onError: Session['onError']): Session {
  const connection = { baseURL: location.origin, token, fetch: watchedFetch, maxRetries: MAX_RETRIES };
  return {
    connection,
    call: (options) => callServer(connection, options),
    follow: (source, options) => followStream(connection, source, options),
    onError,
  };
}

function openQueries(onError: (error: unknown) => void): QueryClient {
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      // Retries are left to the client. The server can be on this machine, where no network is
      // needed.
      queries: { retry: false, networkMode: 'always', refetchOnWindowFocus: true, staleTime: 2_000 },
      mutations: { networkMode: 'always' },
    },
  });
}
