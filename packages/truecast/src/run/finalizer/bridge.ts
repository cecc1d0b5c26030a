/**
 * Bridge program that an agent starts as its MCP server. It forwards stdin and stdout over a socket
 * file to the run on the host, which validates answers. Usage: `node bridge SOCKET`. Imports only
 * Node modules, so that it can be copied as a single file.
 */
import { createConnection } from 'node:net';

const socket = createConnection(process.argv[2] ?? '');
socket.on('error', (error) => {
  process.stderr.write(`truecast bridge: ${error.message}\n`);
  process.exit(1);
});
socket.on('close', () => process.exit(0));
// The agent has exited and closed the pipe.
process.stdout.on('error', () => process.exit(0));
process.stdin.on('error', () => process.exit(0));
process.stdin.pipe(socket).pipe(process.stdout);
