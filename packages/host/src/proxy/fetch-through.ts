/**
 * Fetch through a proxy, by a dispatcher of Node's fetch. Node's own agent class is read from the
 * global dispatcher, so no package is needed, and the process keeps its dispatcher.
 */
import { isIP, type Socket } from 'node:net';
import { proxyAuthorization, type EnvironmentProxy } from './environment-proxy.ts';
import { openTunnel, refusedByProxy } from './open-tunnel.ts';

/** The members of undici's dispatchers that are used here. */
interface Dispatcher {
  dispatch(options: DispatchOptions, handler: object): boolean;
}

interface DispatchOptions {
  readonly origin?: string | URL;
  readonly path: string;
  readonly headers?: unknown;
}

/** Options of undici's connector, as an agent passes them. */
interface ConnectOptions {
  readonly protocol: string;
  readonly hostname: string;
  readonly port?: string;
  readonly servername?: string | null;
}

type OnConnection = (error: unknown, socket: Socket | null) => void;
type Connector = (options: ConnectOptions, onConnection: OnConnection) => void;
type AgentClass = new (options?: { readonly connect?: Connector }) => Dispatcher;

const GLOBAL_DISPATCHER = Symbol.for('undici.globalDispatcher.1');
const LOGIN_REQUIRED = 407;

/** One agent for each proxy and protocol, so that connections are used again. */
const agents = new Map<string, Dispatcher>();

/** Sends a request through the proxy. */
export async function fetchThrough(
  proxy: EnvironmentProxy,
  input: string | URL | Request,
  init?: RequestInit,
): Promise<Response> {
  // The name `Request` also loads Node's fetch, with its dispatcher.
  const { protocol } = new URL(input instanceof Request ? input.url : input);
  const agentClass = findAgentClass();
  // The runtime is another than Node and reads the variables itself, or the program has set a dispatcher,
  // which can know more of the network.
  if (agentClass === undefined) return fetch(input, init);
  const send = (dispatcher: Dispatcher): Promise<Response> =>
    fetch(input, { ...init, dispatcher } as RequestInit);
  const key = `${protocol} ${proxy.url.href}`;
  const connect = protocol === 'https:' ? tunnelConnector(proxy) : undefined;
  const agent = agents.get(key) ?? new agentClass(connect && { connect });
  agents.set(key, agent);
  if (connect !== undefined) return send(agent);
  let isRefused = false;
  const forwarding = forwardingTo(proxy, agent, () => {
    isRefused = true;
  });
  return send(forwarding).catch((error: unknown) => {
    if (isRefused && error instanceof Error) error.cause = refusedByProxy(LOGIN_REQUIRED);
    throw error;
  });
}

function tunnelConnector(proxy: EnvironmentProxy): Connector {
  return ({ hostname, port, servername }, onConnection) => {
    const host = hostname.replaceAll(/^\[|\]$/gu, '');
    const name = servername ?? (isIP(host) === 0 ? host : undefined);
    openTunnel(proxy, { host, port: Number(port === '' || port === undefined ? 443 : port) }).then(
      (socket) => {
        const secured = process.getBuiltinModule('node:tls').connect({
          socket,
          ...(name !== undefined && { servername: name }),
        });
        const fail = (error: unknown): void => onConnection(error, null);
        secured.once('error', fail).once('secureConnect', () => {
          secured.off('error', fail);
          onConnection(null, secured);
        });
      },
      (error: unknown) => onConnection(error, null),
    );
  };
}

/** Proxies often allow CONNECT for port 443 only, so requests without TLS name the whole address. */
function forwardingTo(proxy: EnvironmentProxy, agent: Dispatcher, onRefused: () => void): Dispatcher {
  const login = proxyAuthorization(proxy);
  return {
    dispatch(options, handler) {
      const origin = new URL(String(options.origin));
      const headers = {
        host: origin.host,
        ...toHeaders(options.headers),
        ...(login !== undefined && { 'proxy-authorization': login }),
      };
      const path = `${origin.origin}${options.path}`;
      const watched = watchStatus(handler, (status) => status === LOGIN_REQUIRED && onRefused());
      return agent.dispatch({ ...options, origin: proxy.url.origin, path, headers }, watched);
    },
  };
}

/** Fetch reports a 407 as an error without a message. Undici calls one of two methods with the status. */
function watchStatus(handler: object, onStatus: (status: unknown) => void): object {
  const watch = (name: string, at: number): object => {
    const method: unknown = Reflect.get(handler, name);
    if (typeof method !== 'function') return {};
    return {
      [name](this: object, ...args: readonly unknown[]): unknown {
        onStatus(args[at]);
        return Reflect.apply(method, this, args);
      },
    };
  };
  const watched: object = Object.create(handler) as object;
  return Object.assign(watched, watch('onHeaders', 0), watch('onResponseStart', 1));
}

/** Headers of a request: an object, pairs, or a flat list of names and values. */
function toHeaders(given: unknown): Readonly<Record<string, unknown>> {
  if (typeof given !== 'object' || given === null) return {};
  if (!(Symbol.iterator in given)) return { ...given };
  const all: readonly unknown[] = [...(given as Iterable<unknown>)];
  if (all.every(Array.isArray)) return Object.fromEntries(all as readonly [string, unknown][]);
  return Object.fromEntries(
    all.flatMap((name, index) => (index % 2 === 0 ? [[String(name), all[index + 1]]] : [])),
  );
}

/**
 * Returns the class of Node's own agent: that of the default dispatcher, or of the one that
 * `NODE_USE_ENV_PROXY` sets. Undefined for any other.
 */
function findAgentClass(): AgentClass | undefined {
  const dispatcher: unknown = Reflect.get(globalThis, GLOBAL_DISPATCHER);
  if (classNameOf(dispatcher) === 'Agent') return classOf(dispatcher);
  if (classNameOf(dispatcher) !== 'EnvHttpProxyAgent') return undefined;
  const parts = Object.getOwnPropertySymbols(dispatcher).map((key): unknown =>
    Reflect.get(Object(dispatcher), key),
  );
  return classOf(parts.find((part) => classNameOf(part) === 'Agent'));
}

function classNameOf(value: unknown): string | undefined {
  return typeof value === 'object' && value !== null ? value.constructor.name : undefined;
}

function classOf(value: unknown): AgentClass | undefined {
  return typeof value === 'object' && value !== null ? (value.constructor as AgentClass) : undefined;
}
