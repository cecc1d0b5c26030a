/**
 * Access check for a guest's connection: first the allow list, then each address that the name
 * resolves to.
 */
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { isListed, matchesPort, type AllowRule, formatAuthority } from '../../../ports/allow-rules.ts';
import { isLoopbackAddress, isPublicAddress, ownAddressCheck, type Interfaces } from './network-address.ts';

export interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

export type ResolveName = (host: string) => Promise<readonly ResolvedAddress[]>;

/** The permitted addresses, or the reason for a refusal. */
export type Permission =
  | { readonly type: 'permit'; readonly addresses: readonly ResolvedAddress[] }
  /** `isPolicy` is true if the caller's list caused the refusal. */
  | { readonly type: 'refuse'; readonly isPolicy: boolean; readonly message: string };

export const resolveOnHost: ResolveName = (host) => lookup(host, { all: true });

/**
 * Checks a canonical host and a port. The caller must connect to the returned addresses, because a
 * second lookup can return others (DNS rebinding).
 *
 * A listed name that resolves to this machine or its network is refused, unless that address or
 * `localhost` is also listed.
 */
export async function permitTarget(
  rules: readonly AllowRule[],
  target: { readonly host: string; readonly port: number },
  resolve: ResolveName,
  interfaces: Interfaces = networkInterfaces(),
): Promise<Permission> {
  const { host, port } = target;
  const name = formatAuthority(host, port);
  if (!isListed(rules, host, port)) {
    return refuse(`\`${name}\` is not listed in \`egress.allow\`.`);
  }
  if (isIP(host) !== 0) return { type: 'permit', addresses: [{ address: host, family: isIP(host) }] };
  return findReachable(rules, target, resolve, interfaces);
}

/**
 * Resolves a host, and checks each address: it is on the public internet, or listed. The host itself need not
 * be listed.
 */
export async function findReachable(
  rules: readonly AllowRule[],
  { host, port }: { readonly host: string; readonly port: number },
  resolve: ResolveName,
  interfaces: Interfaces = networkInterfaces(),
): Promise<Permission> {
  const name = formatAuthority(host, port);
  let resolved: readonly ResolvedAddress[];
  try {
    resolved = isIP(host) === 0 ? await resolve(host) : [{ address: host, family: isIP(host) }];
  } catch {
    return { type: 'refuse', isPolicy: false, message: `The host cannot resolve the name \`${host}\`.` };
  }
  const isOwn = ownAddressCheck(interfaces);
  const addresses = resolved.filter(({ address }) => isReachable(rules, { address, port, isOwn }));
  if (addresses.length > 0) return { type: 'permit', addresses };
  const found = resolved[0]?.address ?? 'nothing';
  return refuse(
    `\`${name}\` resolves to \`${found}\`, which is this machine or not on the public internet. If you trust that address, add it to the list.`,
  );
}

function isReachable(
  rules: readonly AllowRule[],
  {
    address,
    port,
    isOwn,
  }: { readonly address: string; readonly port: number; readonly isOwn: (address: string) => boolean },
): boolean {
  if (isListed(rules, address, port)) return true;
  if (isPublicAddress(address) && !isOwn(address)) return true;
  const listsLocalhost = rules.some(
    (rule) => rule.type === 'name' && rule.host === 'localhost' && matchesPort(rule, port),
  );
  return listsLocalhost && isLoopbackAddress(address);
}

function refuse(message: string): Permission {
  return { type: 'refuse', isPolicy: true, message };
}
