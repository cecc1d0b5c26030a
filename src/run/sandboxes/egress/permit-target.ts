/** Owns deciding whether a guest may go where it asks: the list first, then each address that the name resolves to. */
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { isListed, matchesPort, type AllowRule } from './allow-rules.ts';
import { formatAuthority } from './host-name.ts';
import { isLoopbackAddress, isPublicAddress } from './network-address.ts';

/** An address of a host. */
export interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

/** Returns all addresses of a name. */
export type ResolveName = (host: string) => Promise<readonly ResolvedAddress[]>;

/** The addresses that may be connected to, or why there is none. */
export type Permission =
  | { readonly type: 'permit'; readonly addresses: readonly ResolvedAddress[] }
  /** `isPolicy`: the caller's list is the reason. */
  | { readonly type: 'refuse'; readonly isPolicy: boolean; readonly message: string };

/** Asks the host's own resolver. */
export const resolveOnHost: ResolveName = (host) => lookup(host, { all: true });

/**
 * Decides about a canonical host and a port. Whoever connects must use the returned addresses: a name asked again may have others.
 *
 * A listed name that resolves to this machine or its network is refused unless that address, or `localhost`, is listed too.
 */
export async function permitTarget(
  rules: readonly AllowRule[],
  target: { readonly host: string; readonly port: number },
  resolve: ResolveName,
): Promise<Permission> {
  const { host, port } = target;
  const name = formatAuthority(host, port);
  if (!isListed(rules, host, port)) {
    return refuse(`\`${name}\` is not listed in \`egress.allow\`.`);
  }
  if (isIP(host) !== 0) return { type: 'permit', addresses: [{ address: host, family: isIP(host) }] };
  let resolved: readonly ResolvedAddress[];
  try {
    resolved = await resolve(host);
  } catch {
    return { type: 'refuse', isPolicy: false, message: `The host cannot resolve the name \`${host}\`.` };
  }
  const addresses = resolved.filter(({ address }) => isReachable(rules, address, port));
  if (addresses.length > 0) return { type: 'permit', addresses };
  const found = resolved[0]?.address ?? 'nothing';
  return refuse(
    `\`${name}\` resolves to \`${found}\`, which is not on the public internet. List that address too if it is meant.`,
  );
}

function isReachable(rules: readonly AllowRule[], address: string, port: number): boolean {
  if (isPublicAddress(address) || isListed(rules, address, port)) return true;
  const listsLocalhost = rules.some(
    (rule) => rule.type === 'name' && rule.host === 'localhost' && matchesPort(rule, port),
  );
  return listsLocalhost && isLoopbackAddress(address);
}

function refuse(message: string): Permission {
  return { type: 'refuse', isPolicy: true, message };
}
