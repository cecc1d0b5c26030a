/** Classification of IP addresses: public internet, this machine, or a local network. Pure. */
import { BlockList, isIPv6 } from 'node:net';

/**
 * Special-purpose addresses from the IANA registries:
 * https://www.iana.org/assignments/iana-ipv4-special-registry/
 */
const SPECIAL_IPV4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  // Azure's WireServer serves a machine's configuration and certificates at an address that looks
  // public.
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const;

/**
 * Teredo and 6to4 tunnel to an IPv4 address chosen by the sender. The other ranges are for
 * documentation and benchmarks.
 */
const SPECIAL_IPV6 = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const;

const special = new BlockList();
for (const [address, prefix] of SPECIAL_IPV4) special.addSubnet(address, prefix, 'ipv4');
for (const [address, prefix] of SPECIAL_IPV6) special.addSubnet(address, prefix, 'ipv6');
const global = new BlockList();
global.addSubnet('2000::', 3, 'ipv6');
const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/**
 * Returns true for an address on the public internet. Addresses of this machine, its network, or a
 * special use return false.
 */
export function isPublicAddress(address: string): boolean {
  const plain = embeddedIPv4(address) ?? address;
  if (!isIPv6(plain)) return !special.check(plain, 'ipv4');
  return global.check(plain, 'ipv6') && !special.check(plain, 'ipv6');
}

/** Addresses of this machine, by the name of their interface. */
export type Interfaces = Readonly<Record<string, readonly { readonly address: string }[] | undefined>>;

/** Creates a check for the addresses of a machine's network interfaces. */
export function ownAddressCheck(interfaces: Interfaces): (address: string) => boolean {
  const own = new BlockList();
  for (const { address } of Object.values(interfaces).flatMap((list) => list ?? [])) {
    const [plain = address] = address.split('%');
    own.addAddress(plain, isIPv6(plain) ? 'ipv6' : 'ipv4');
  }
  return (address) => {
    const plain = embeddedIPv4(address) ?? address;
    return own.check(plain, isIPv6(plain) ? 'ipv6' : 'ipv4');
  };
}

export function isLoopbackAddress(address: string): boolean {
  const plain = embeddedIPv4(address) ?? address;
  return loopback.check(plain, isIPv6(plain) ? 'ipv6' : 'ipv4');
}

/**
 * Converts an IPv6-mapped IPv4 address, or one behind a translator (NAT64), to that IPv4 address.
 */
function embeddedIPv4(address: string): string | undefined {
  const canonical = URL.parse(`http://[${address}]/`)?.hostname.slice(1, -1);
  const match = /^(?:::ffff:|64:ff9b::)(?:([0-9a-f]{1,4}):)?([0-9a-f]{1,4})$/.exec(canonical ?? '');
  if (match === null) return undefined;
  const [high, low] = [match[1], match[2]].map((group) => Number.parseInt(group ?? '0', 16));
  return [(high ?? 0) >> 8, (high ?? 0) & 255, (low ?? 0) >> 8, (low ?? 0) & 255].join('.');
}
