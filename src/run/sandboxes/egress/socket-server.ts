/** Owns a proxy's server on a socket file in a folder that only this user can enter, and ending all that it holds. */
import { rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { makeTemporaryFolder } from '../../temporary-folder.ts';

/** A started server. */
export interface SocketServer {
  readonly server: Server;
  readonly socketPath: string;
  /** Cuts what is under way. */
  close(): Promise<void>;
}

/** A guest that opens more connections than any program needs must not exhaust the host's files. */
const MAX_CONNECTIONS = 1_024;

/** Starts a server; the caller closes it. */
export async function startSocketServer(
  name: string,
  onRequest: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<SocketServer> {
  const folder = await makeTemporaryFolder(name);
  const socketPath = join(folder, `${name}.sock`);
  const server = createServer(onRequest);
  server.maxConnections = MAX_CONNECTIONS;
  // A model may think for minutes, and a prompt be sent slowly: silence is the run's own matter.
  server.requestTimeout = 0;
  server.on('clientError', (_error, socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(socketPath, resolve);
  });
  return {
    server,
    socketPath,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await rm(folder, { recursive: true, force: true });
    },
  };
}
