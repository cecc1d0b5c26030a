/**
 * Process of a TCP relay that delays each chunk, as a network between a server and its database
 * does. Replies with its port.
 */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** Target of a relay. */
export interface NetworkRelayRequest {
  readonly port: number;
  /** Delay in each direction. */
  readonly delayMs: number;
}

/** Address of a relay on 127.0.0.1. */
export interface NetworkRelayReply {
  readonly port: number;
}

interface Chunk {
  readonly dueMs: number;
  readonly to: Socket;
  readonly bytes: Buffer;
}

const chunks: Chunk[] = [];
const cell = new Int32Array(new SharedArrayBuffer(4));

/** Timers are as coarse as a millisecond. A wait of this thread is not. */
function passOn(): void {
  for (let chunk = chunks.shift(); chunk !== undefined; chunk = chunks.shift()) {
    const leftMs = chunk.dueMs - performance.now();
    if (leftMs > 0) Atomics.wait(cell, 0, 0, leftMs);
    chunk.to.write(chunk.bytes);
  }
}

function pipe(from: Socket, to: Socket, delayMs: number): void {
  from.setNoDelay();
  from.on('data', (bytes) => {
    if (chunks.length === 0) setImmediate(passOn);
    chunks.push({ dueMs: performance.now() + delayMs, to, bytes });
  });
  from.on('error', () => undefined);
  from.on('close', () => to.destroy());
}

function start({ port, delayMs }: NetworkRelayRequest): void {
  const server = createServer((client) => {
    const target = connect(port, '127.0.0.1');
    pipe(client, target, delayMs);
    pipe(target, client, delayMs);
  });
  server.listen(0, '127.0.0.1', () => {
    const address = server.address() as AddressInfo; // A listening TCP server has one.
    process.send?.({ port: address.port } satisfies NetworkRelayReply);
  });
}

if (import.meta.main) {
  process.on('disconnect', () => process.exit());
  process.once('message', (request: NetworkRelayRequest) => start(request));
}
