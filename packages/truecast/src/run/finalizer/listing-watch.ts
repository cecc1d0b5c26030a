/**
 * Watch socket: reports to an agent's adapter when the agent has started the server of a run, and when
 * it has listed its tools. An adapter can wait for that before it sends the prompt.
 *
 * adapter connects → `accepted` → an agent connects to the server → `started` → it has the tools → `listed`
 */
import { chmod, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';

export interface ListingWatch {
  /** True while an adapter is connected. */
  readonly isWatched: boolean;
  report(event: 'started' | 'listed'): void;
  close(): Promise<void>;
}

/** One adapter per turn, which disconnects before its agent works. */
const MAX_WATCHERS = 4;

/** Starts the socket at a path on the host. The caller closes it. */
export async function startListingWatch(path: string): Promise<ListingWatch> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket
      .on('close', () => sockets.delete(socket))
      // An adapter that was killed needs no report.
      .on('error', () => socket.destroy())
      .resume()
      .write('accepted\n');
  });
  server.maxConnections = MAX_WATCHERS;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(path, resolve);
  });
  // As for the server's own socket, the adapter can be another user.
  await chmod(path, 0o666);
  return {
    get isWatched() {
      return sockets.size > 0;
    },
    report(event) {
      for (const socket of sockets) socket.write(`${event}\n`);
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
      await rm(path, { force: true });
    },
  };
}
