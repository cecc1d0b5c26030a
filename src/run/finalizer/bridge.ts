/**
 * Owns the program that an agent starts as its MCP server: it carries stdin and stdout over a socket file to the run on the host, which
 * judges. Started as `node bridge SOCKET`; imports nothing but Node, so that it can be copied alone.
 */
import { createConnection } from 'node:net';

const socket = createConnection(process.argv[2] ?? '');
socket.on('error', (error) => {
  process.stderr.write(`truecast bridge: ${error.message}\n`);
  process.exit(1);
});
socket.on('close', () => process.exit(0));
// An agent that has gone closes the pipe: there is nobody left to tell.
process.stdout.on('error', () => process.exit(0));
process.stdin.on('error', () => process.exit(0));
process.stdin.pipe(socket).pipe(process.stdout);
