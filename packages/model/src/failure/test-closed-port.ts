/** Closed port: for tests of an address where no server answers. */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** Both ends of the connections. They are not collected. */
const held: Socket[] = [];

/**
 * Returns a port of 127.0.0.1 on which nothing listens. It is one end of an open connection, so that no other process
 * gets it. The port of a server that was closed can have a new server at once.
 */
export async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // a listening TCP server has one
  const client = connect(port, '127.0.0.1');
  const [accepted] = (await once(server, 'connection')) as [Socket];
  held.push(client.unref(), accepted.unref());
  server.close().unref();
  return (client.address() as AddressInfo).port;
}
