/**
 * Owns the program that runs inside a sandbox without a network: it carries 127.0.0.1 over a socket file to the host, and runs
 * the agent under it. Started as `node forwarder SOCKET PORT COMMAND…`; imports nothing but Node, so that it can be mounted alone.
 */
import { spawn } from 'node:child_process';
import { createConnection, createServer } from 'node:net';
import { constants } from 'node:os';

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGWINCH'] as const;

const [socketPath = '', port = '', file = '', ...args] = process.argv.slice(2);

const server = createServer((inside) => {
  const outside = createConnection(socketPath);
  inside.on('error', () => outside.destroy());
  outside.on('error', () => inside.destroy());
  inside.pipe(outside).pipe(inside);
});

server.on('error', (error) => fail(`cannot listen on 127.0.0.1:${port}`, error));
server.listen(Number(port), '127.0.0.1', start);

function start(): void {
  // In a group of its own: a signal to ours then reaches the command once, by us.
  const child = spawn(file, args, { stdio: 'inherit', detached: true });
  child.on('error', (error) => fail(`cannot start ${file}`, error));
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      if (child.pid === undefined) return;
      try {
        process.kill(-child.pid, signal);
      } catch {
        // It ended first.
      }
    });
  }
  child.on('exit', (code, signal) =>
    process.exit(code ?? 128 + (signal === null ? 0 : constants.signals[signal])),
  );
}

function fail(what: string, error: Error): never {
  process.stderr.write(`truecast forwarder: ${what}: ${error.message}\n`);
  process.exit(127);
}
