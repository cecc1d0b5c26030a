/** Owns which loopback ports the forwarder takes inside a sandbox. Pure. */
import { LOOPBACK_HOSTS, type AllowRule } from './allow-rules.ts';

const MODEL_PORT = 8080;
const PROXY_PORT = 3128;

/** A port of the host's loopback that is to be had inside at the same port. */
export interface LoopbackTunnel {
  readonly host: string;
  readonly port: number;
}

/** Returns the listed ports of the host's own loopback: programs reach them inside as if they were there, with or without a proxy. */
export function loopbackTunnels(rules: readonly AllowRule[]): readonly LoopbackTunnel[] {
  const tunnels = new Map<number, LoopbackTunnel>();
  for (const { type, host, port } of rules) {
    if (type === 'suffix' || !LOOPBACK_HOSTS.includes(host) || port === undefined) continue;
    tunnels.set(port, { host, port });
  }
  return [...tunnels.values()];
}

/** Returns the ports of the model and of the proxy inside: the usual ones, unless a listed one has the number. */
export function insidePorts(rules: readonly AllowRule[]): { readonly model: number; readonly proxy: number } {
  const taken = new Set(loopbackTunnels(rules).map(({ port }) => port));
  const model = firstFree(MODEL_PORT, taken);
  return { model, proxy: firstFree(PROXY_PORT, new Set([...taken, model])) };
}

function firstFree(port: number, taken: ReadonlySet<number>): number {
  return taken.has(port) ? firstFree(port + 1, taken) : port;
}
