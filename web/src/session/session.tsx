/** Session of the page: the access to this server, and the page that requests a token. */
import { createContext, use, useCallback, useEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { ServerError } from '@truecast/client';
import { dropToken, readToken, takeLink, type LinkOutcome } from './access-token.ts';
import { useRoute } from 'wouter';
import { callServer, type CallOptions, type Connection } from '@truecast/client/internal/calls/http-caller';
import { followStream } from '@truecast/client/internal/calls/event-stream';
import { watchedFetch } from './connection.ts';
import { tellUnneeded } from './unneeded-link.ts';
import { OwnerChangesProvider, type FollowChanges } from './owner-changes.tsx';
import { SigningIn, TokenPage, type SignInProblem } from './token-page.tsx';

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

interface SessionProviderProps {
  /** The link that opened this page, until it is decided. */
  readonly link: Promise<LinkOutcome> | undefined;
  readonly children: ReactNode;
}

/**
 * Opens a session with the token, or shows the page that requests one. The address does not change.
 */
export function SessionProvider({ link, children }: SessionProviderProps): ReactNode {
  const { token, setToken, isOpening, problem, onError } = useCredential(link);
  // The next session starts without the data of the one before it, which can be another person's.
  const { session, queries } = useMemo(
    () => ({
      session: token === undefined ? undefined : openSession(token, onError),
      queries: openQueries(onError),
    }),
    [token, onError],
  );
  // The API reference needs no token.
  const [isPublic] = useRoute('/docs');
  if (isOpening) return <SigningIn />;
  if (session === undefined && !isPublic) {
    return <TokenPage problem={problem} onToken={() => setToken(readToken())} />;
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

interface Credential {
  readonly token: string | undefined;
  readonly setToken: (token: string | undefined) => void;
  /** True while the link that opened the page is exchanged. */
  readonly isOpening: boolean;
  readonly problem: SignInProblem | undefined;
  readonly onError: (error: unknown) => void;
}

function useCredential(link: SessionProviderProps['link']): Credential {
  const [token, setToken] = useState(readToken);
  const [isOpening, setOpening] = useState(link !== undefined);
  const [problem, setProblem] = useState<SignInProblem>();
  const used = useRef(token);
  useEffect(() => {
    used.current = token;
  }, [token]);
  const onError = useCallback((error: unknown): void => {
    if (!ServerError.isInstance(error) || error.statusCode !== 401) return;
    // Otherwise another tab has renewed the session.
    if (readToken() === used.current) {
      dropToken();
      setProblem('refused');
    }
    setToken(readToken());
  }, []);
  useEffect(() => {
    const renew = (): void => setToken(readToken());
    const follow = (opened: SessionProviderProps['link']): void => {
      void opened?.then((outcome) => {
        if (outcome === 'unneeded') tellUnneeded();
        setProblem(outcome === 'spent' || outcome === 'unreachable' ? outcome : undefined);
        setOpening(false);
        renew();
      });
    };
    follow(link);
    // A link that is opened in this tab changes only the fragment.
    const followNext = (): void => {
      const next = takeLink();
      // A page with a session shows no sign-in.
      setOpening(next !== undefined && readToken() === undefined);
      follow(next);
    };
    addEventListener('hashchange', followNext);
    // Another tab has opened a session, or ended it.
    addEventListener('storage', renew);
    return () => {
      removeEventListener('hashchange', followNext);
      removeEventListener('storage', renew);
    };
  }, [link]);
  return { token, setToken, isOpening, problem, onError };
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
