/**
 * Counting proxy in front of Postgres: statements and round trips, read from the wire protocol
 * (https://www.postgresql.org/docs/current/protocol-message-formats.html).
 */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** What the clients of a proxy sent. */
export interface PostgresTraffic {
  statements: number;
  /** Times that a connection without an open question asked something. */
  roundTrips: number;
}

/** A proxy for one database. */
export interface CountedPostgres extends AsyncDisposable {
  /** The database's address through the proxy. */
  readonly url: string;
  readonly traffic: PostgresTraffic;
}

/** Starts the proxy of the database at `url`. */
export async function countedPostgres(url: string): Promise<CountedPostgres> {
  const target = new URL(url);
  const traffic: PostgresTraffic = { statements: 0, roundTrips: 0 };
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket.setNoDelay());
      socket.on('error', () => undefined);
      socket.on('close', () => [client, upstream].forEach((end) => end.destroy()));
    }
    count(client, upstream, traffic);
    client.pipe(upstream);
    upstream.pipe(client);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo; // A listening TCP server has one.
  const through = new URL(url);
  through.port = String(port);
  return {
    url: through.href,
    traffic,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      const closed = once(server, 'close');
      server.close();
      await closed;
    },
  };
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
