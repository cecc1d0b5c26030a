/**
 * Forwarder program for a sandbox without a network. It forwards ports of 127.0.0.1 over socket
 * files to the host, and runs a command. Imports only Node modules, so that it can be mounted as a
 * single file. Without a syntax of types: the source is a JavaScript module too, and Node starts in half of the time.
 *
 * Usage: `node forwarder LISTENER… -- COMMAND…`. A listener is `PORT=SOCKET`, or
 * `PORT=SOCKET=HOST:PORT` to request a tunnel to that target from the proxy behind the socket.
 * Without a command it prints `ready` and forwards until it is killed.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createConnection, createServer } from 'node:net';
import { constants } from 'node:os';

/** Much larger than the proxy's answer to CONNECT. */
const MAX_HEAD_BYTES = 8_192;

const words = process.argv.slice(2);
const end = words.indexOf('--');
const listeners = end === -1 ? words : words.slice(0, end);
const [file, ...args] = end === -1 ? [] : words.slice(end + 1);

await Promise.all(listeners.map(async (listener) => listen(...listener.split('='))));
if (file === undefined) process.stdout.write('ready\n');
else start(file, args);

async function listen(port = '', socketPath = '', target = '') {
  const server = createServer({ allowHalfOpen: true }, (inside) => {
    const outside = createConnection({ path: socketPath, allowHalfOpen: true });
    inside.on('error', () => outside.destroy());
    outside.on('error', () => inside.destroy());
    inside.once('close', () => outside.destroy());
    const join = () => inside.pipe(outside).pipe(inside);
    if (target === '') {
      join();
      return;
    }
    // Requests a tunnel from the proxy, and joins both sockets when it is open.
    outside.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`);
    let head = Buffer.alloc(0);
    const onData = (chunk = head) => {
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
      join();
    };
    outside.on('data', onData);
    outside.once('end', () => {
      if (outside.listeners('data').includes(onData)) inside.destroy();
    });
  });
  server.on('error', (error) => fail(`cannot listen on 127.0.0.1:${port}`, error.message));
  server.listen(Number(port), '127.0.0.1');
  await once(server, 'listening');
}

function start(program = '', programArgs = ['']) {
  // Called by the event loop alone: the command has been started then.
  const pass = (signal = '') => {
    if (child.pid === undefined) return;
    try {
      process.kill(-child.pid, signal);
    } catch {
      // The process has already ended.
    }
  };
  // Register before the command starts. It can print and receive a signal before this program runs
  // again.
  process.on('SIGTERM', pass).on('SIGINT', pass).on('SIGHUP', pass).on('SIGQUIT', pass).on('SIGWINCH', pass);
  // The command gets its own process group. A signal to this process's group then reaches it only
  // once, through this program.
  const child = spawn(program, programArgs, { stdio: 'inherit', detached: true });
  child.on('error', (error) => fail(`cannot start ${program}`, error.message));
  child.on('exit', (code, signal) =>
    process.exit(code ?? 128 + (signal === null ? 0 : constants.signals[signal])),
  );
}

function fail(what = '', message = '') {
  process.stderr.write(`truecast forwarder: ${what}: ${message}\n`);
  process.exit(127);
}
