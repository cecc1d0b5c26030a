/** Loopback ports of the forwarder inside a sandbox. Pure. */
import { LOOPBACK_HOSTS, type AllowRule } from '../../ports/allow-rules.ts';

const MODEL_PORT = 8080;
const PROXY_PORT = 3128;

/** A host loopback port that is available inside under the same number. */
export interface LoopbackTunnel {
  readonly host: string;
  readonly port: number;
}

/**
 * Returns the listed ports of the host's loopback. Programs inside reach them as local ports, with
 * or without a proxy.
 */
export function loopbackTunnels(rules: readonly AllowRule[]): readonly LoopbackTunnel[] {
  const tunnels = new Map<number, LoopbackTunnel>();
  for (const { type, host, port } of rules) {
    if (type === 'suffix' || !LOOPBACK_HOSTS.includes(host) || port === undefined) continue;
    tunnels.set(port, { host, port });
  }
  return [...tunnels.values()];
}

/**
 * Returns the ports of the model and the proxy inside: the defaults, or the next free number if
 * such a port is listed.
 */
export function insidePorts(rules: readonly AllowRule[]): { readonly model: number; readonly proxy: number } {
  const taken = new Set(loopbackTunnels(rules).map(({ port }) => port));
  const model = firstFree(MODEL_PORT, taken);
  return { model, proxy: firstFree(PROXY_PORT, new Set([...taken, model])) };
}

function firstFree(port: number, taken: ReadonlySet<number>): number {
  return taken.has(port) ? firstFree(port + 1, taken) : port;
}
