/**
 * Forwarder program for a sandbox without a network. It forwards ports of 127.0.0.1 over socket
 * files to the host, and runs a command. Imports only Node modules, so that it can be mounted as a
 * single file.
 *
 * Usage: `node forwarder LISTENER… -- COMMAND…`. A listener is `PORT=SOCKET`, or
 * `PORT=SOCKET=HOST:PORT` to request a tunnel to that target from the proxy behind the socket.
 * Without a command it prints `ready` and forwards until it is killed.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createConnection, createServer, type Socket } from 'node:net';
import { constants } from 'node:os';

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGWINCH'] as const;
/** Much larger than the proxy's answer to CONNECT. */
const MAX_HEAD_BYTES = 8_192;

const words = process.argv.slice(2);
const end = words.indexOf('--');
const listeners = end === -1 ? words : words.slice(0, end);
const [file, ...args] = end === -1 ? [] : words.slice(end + 1);

await Promise.all(listeners.map(listen));
if (file === undefined) process.stdout.write('ready\n');
else start(file, args);

async function listen(listener: string): Promise<void> {
  const [port = '', socketPath = '', target] = listener.split('=');
  const server = createServer({ allowHalfOpen: true }, (inside) => {
    const outside = createConnection({ path: socketPath, allowHalfOpen: true });
    inside.on('error', () => outside.destroy());
    outside.on('error', () => inside.destroy());
    inside.once('close', () => outside.destroy());
    if (target === undefined) inside.pipe(outside).pipe(inside);
    else openTunnel(inside, outside, target);
  });
  server.on('error', (error) => fail(`cannot listen on 127.0.0.1:${port}`, error));
  server.listen(Number(port), '127.0.0.1');
  await once(server, 'listening');
}

/** Requests a tunnel from the proxy, and joins both sockets when it is open. */
function openTunnel(inside: Socket, outside: Socket, target: string): void {
  outside.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`);
  let head = Buffer.alloc(0);
  const onData = (chunk: Buffer): void => {
    head = Buffer.concat([head, chunk]);
    const at = head.indexOf('\r\n\r\n');
    if (at === -1 && head.length < MAX_HEAD_BYTES) return;
    outside.off('data', onData);
    if (at === -1 || !head.toString('latin1').startsWith('HTTP/1.1 200 ')) {
      inside.destroy();
      outside.destroy();
      return;
    }
    inside.write(head.subarray(at + 4));
    inside.pipe(outside).pipe(inside);
  };
  outside.on('data', onData);
  outside.once('end', () => {
    if (outside.listeners('data').includes(onData)) inside.destroy();
  });
}

function start(program: string, programArgs: readonly string[]): void {
  let pid: number | undefined;
  const pending: NodeJS.Signals[] = [];
  const pass = (signal: NodeJS.Signals): void => {
    if (pid === undefined) {
      pending.push(signal);
      return;
    }
    try {
      process.kill(-pid, signal);
    } catch {
      // The process has already ended.
    }
  };
  // Register before the command starts. It can print and receive a signal before this program runs
  // again.
  for (const signal of SIGNALS) process.on(signal, pass);
  // The command gets its own process group. A signal to this process's group then reaches it only
  // once, through this program.
  const child = spawn(program, programArgs, { stdio: 'inherit', detached: true });
  child.on('error', (error) => fail(`cannot start ${program}`, error));
  pid = child.pid;
  for (const signal of pending.splice(0)) pass(signal);
  child.on('exit', (code, signal) =>
    process.exit(code ?? 128 + (signal === null ? 0 : constants.signals[signal])),
  );
}

function fail(what: string, error: Error): never {
  process.stderr.write(`truecast forwarder: ${what}: ${error.message}\n`);
  process.exit(127);
}
