/**
 * Check of a model's address that a caller chose: which addresses a server sends requests to. The rule is that of
 * webhooks and sandboxes, and `http:` beyond them reaches no public address.
 */
import { connect } from 'node:net';
import { parseAllowRules } from 'truecast/internal/ports/allow-rules';
import { isPublicAddress } from 'truecast/internal/sandboxes/egress/proxy/network-address';
import {
  findReachable,
  resolveOnHost,
  type ResolvedAddress,
  type ResolveName,
} from 'truecast/internal/sandboxes/egress/proxy/permit-target';

export interface AddressPolicy {
  /** Addresses of this machine and its networks, as `localhost:PORT` or an IP address with a port. */
  readonly allow: readonly string[];
  /** True to allow every port of this machine from 1024 up. */
  readonly hasLoopback: boolean;
  /** @default the resolver of this machine */
  readonly resolve?: ResolveName;
}

/** The URL for requests, or the reason for a refusal. */
type CheckedAddress =
  | { readonly type: 'allowed'; readonly url: string }
  | { readonly type: 'refused'; readonly message: string }
  /** The name cannot be resolved. */
  | { readonly type: 'unknown-host' };

/** Lower ports of this machine belong to its services. */
const FIRST_FREE_PORT = 1_024;
const CONNECT_MS = 2_000;
const RESOLVE_MS = 5_000;

/**
 * Checks an address, and returns the URL to use.
 *
 * A name behind `http:` is replaced with its checked address, because a second lookup can return another
 * one. Behind `https:` the certificate binds the name: a server at another address cannot show it.
 */
export async function checkAddress(address: string, policy: AddressPolicy): Promise<CheckedAddress> {
  const url = URL.parse(address);
  const fault = url === null ? 'Is not a URL. Send one such as `http://127.0.0.1:11434/v1`.' : faultOf(url);
  if (url === null || fault !== undefined) return { type: 'refused', message: fault ?? '' };
  const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
  const host = url.hostname.replaceAll(/^\[|\]$/gu, '').replace(/\.$/u, '');
  const isLocalPort = policy.hasLoopback && port >= FIRST_FREE_PORT;
  const allow = [...policy.allow, ...(isLocalPort ? [`localhost:${port}`] : [])];
  const found = await findReachable(
    allow.length === 0 ? [] : parseAllowRules(allow),
    { host, port },
    inTime(policy.resolve ?? resolveOnHost),
  );
  if (found.type === 'refuse') {
    return found.isPolicy ? { type: 'refused', message: NOT_ALLOWED } : { type: 'unknown-host' };
  }
  if (url.protocol === 'https:') return { type: 'allowed', url: textOf(url) };
  const near = found.addresses.filter((each) => !isPublicAddress(each.address));
  if (near.length === 0) return { type: 'refused', message: NOT_SECURE };
  const [chosen] = near.length === 1 ? near : await firstOpen(near, port);
  url.hostname = chosen?.family === 6 ? `[${chosen.address}]` : (chosen?.address ?? '');
  return { type: 'allowed', url: textOf(url) };
}

const NOT_ALLOWED =
  'Is this machine or not on the public internet, and is not allowed. If you trust it, add its IP address and port to `connectedModels.allow` of the server.';
const NOT_SECURE =
  'Is on the public internet: the key and the prompts need `https://`. `http://` is for this machine and for addresses in `connectedModels.allow`.';

function faultOf({ protocol, username, password, search, hash }: URL): string | undefined {
  if (protocol !== 'https:' && protocol !== 'http:') return 'Must begin with `https://` or `http://`.';
  if (username !== '' || password !== '') return 'Must not have a user or a password. Send `api_key`.';
  return search === '' && hash === '' ? undefined : 'Must not have a query or a fragment. Leave it out.';
}

function textOf({ origin, pathname }: URL): string {
  return `${origin}${pathname}`.replace(/\/+$/u, '');
}

/** A name server that does not answer ends as an unknown name. */
function inTime(resolve: ResolveName): ResolveName {
  return async (host) => {
    const { promise, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(new RangeError('The name was not resolved in time.')), RESOLVE_MS);
    return Promise.race([resolve(host), promise]).finally(() => clearTimeout(timer));
  };
}

/** A name such as `localhost` has an IPv6 address, on which the server often does not listen. */
async function firstOpen(
  addresses: readonly ResolvedAddress[],
  port: number,
): Promise<readonly ResolvedAddress[]> {
  for (const each of addresses) if (await isOpen(each.address, port)) return [each];
  return addresses;
}

function isOpen(host: string, port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect({ host, port, timeout: CONNECT_MS });
  const end = (isConnected: boolean) => (): void => {
    socket.destroy();
    resolve(isConnected);
  };
  socket.once('connect', end(true)).once('error', end(false)).once('timeout', end(false));
  return promise;
}
