/** Proxy in front of Postgres on this machine, through which a test can cut clients off from their database. */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** `refused`: connections break, and new ones are refused. `silent`: no byte passes, and no connection breaks. */
export type Outage = 'refused' | 'silent';

/** A proxy for one database. */
export interface PostgresProxy extends AsyncDisposable {
  /** The database's address through the proxy. */
  readonly url: string;
  cut(how: Outage): void;
  /** Ends the outage. Bytes that were sent in a silent one arrive now. */
  restore(): void;
}

/** Starts the proxy of the database at `url`. @param onClient - called with both ends of each connection */
export async function postgresProxy(
  url: string,
  onClient?: (client: Socket, upstream: Socket) => void,
): Promise<PostgresProxy> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  let outage: Outage | undefined;
  const server = createServer((client) => {
    if (outage === 'refused') {
      client.destroy();
      return;
    }
    const upstream = connect(Number(target.port), target.hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket.setNoDelay());
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        for (const end of [client, upstream]) end.destroy();
      });
    }
    onClient?.(client, upstream);
    client.pipe(upstream);
    upstream.pipe(client);
    if (outage === 'silent') for (const socket of [client, upstream]) socket.pause();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo; // A listening TCP server has one.
  const through = new URL(url);
  through.port = String(port);
  return {
    url: through.href,
    cut(how) {
      outage = how;
      for (const socket of sockets) {
        if (how === 'silent') socket.pause();
        else socket.destroy();
      }
    },
    restore() {
      outage = undefined;
      for (const socket of sockets) socket.resume();
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      const closed = once(server, 'close');
      server.close();
      await closed;
    },
  };
}
