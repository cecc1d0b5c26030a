/**
 * Proxy server on a socket file, in a folder with access for this user only. Closing it ends all
 * connections.
 */
import { rm } from 'node:fs/promises';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { makeTemporaryFolder } from '../../../process/temporary-folder.ts';

export interface SocketServer {
  readonly server: Server;
  readonly socketPath: string;
  /** Aborts open requests. */
  close(): Promise<void>;
}

/** Connection limit, so that a guest cannot exhaust the host's file descriptors. */
const MAX_CONNECTIONS = 1_024;

/** Starts a server. The caller closes it. */
export async function startSocketServer(
  name: string,
  onRequest: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<SocketServer> {
  const folder = await makeTemporaryFolder(name);
  const socketPath = join(folder, `${name}.sock`);
  // Not imported: a module that imports it also loads Node's fetch, 45 ms of each start of a program.
  const server = process.getBuiltinModule('node:http').createServer(onRequest);
  server.maxConnections = MAX_CONNECTIONS;
  // No timeout: a model can think for minutes, and a prompt can arrive slowly. The run has its own
  // idle timeout.
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
