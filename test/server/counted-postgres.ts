/**
 * Counting proxy in front of Postgres: statements and round trips, read from the wire protocol
 * (https://www.postgresql.org/docs/current/protocol-message-formats.html).
 */
import type { Socket } from 'node:net';
import { postgresProxy, type PostgresProxy } from './postgres-proxy.ts';

/** What the clients of a proxy sent. */
export interface PostgresTraffic {
  statements: number;
  /** Times that a connection without an open question asked something. */
  roundTrips: number;
}

/** A proxy that counts. */
export interface CountedPostgres extends PostgresProxy {
  readonly traffic: PostgresTraffic;
}

/** Starts the proxy of the database at `url`. */
export async function countedPostgres(url: string): Promise<CountedPostgres> {
  const traffic: PostgresTraffic = { statements: 0, roundTrips: 0 };
  const proxy = await postgresProxy(url, (client, upstream) => count(client, upstream, traffic));
  return Object.assign(proxy, { traffic });
}

function count(client: Socket, upstream: Socket, traffic: PostgresTraffic): void {
  let open = 0;
  // The first message of a client has no type.
  const asked = messages({ hasStart: true }, (type) => {
    if (type === 'Q' || type === 'E') traffic.statements += 1;
    if (type !== 'Q' && type !== 'S') return;
    if (open === 0) traffic.roundTrips += 1;
    open += 1;
  });
  const answered = messages({ hasStart: false }, (type) => {
    if (type === 'Z') open = Math.max(0, open - 1);
  });
  client.on('data', asked);
  upstream.on('data', answered);
}

/** Splits a stream into messages: a type of one byte, and a length that includes itself. */
function messages(
  { hasStart }: { readonly hasStart: boolean },
  onMessage: (type: string) => void,
): (chunk: Buffer) => void {
  let rest = Buffer.alloc(0);
  let isStart = hasStart;
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    for (;;) {
      const at = isStart ? 0 : 1;
      if (rest.length < at + 4) return;
      const end = at + rest.readInt32BE(at);
      if (rest.length < end) return;
      if (!isStart) onMessage(String.fromCodePoint(rest[0] ?? 0));
      isStart = false;
      rest = rest.subarray(end);
    }
  };
}
