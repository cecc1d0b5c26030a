/**
 * Port of the consoles of a worker: one after the other has it, so that the browser has the files of this address. The
 * system gives no port below 32,768 to another program while the next console starts.
 */
import { once } from 'node:events';
import { createServer } from 'node:net';

const PORT = 20_000 + (process.pid % 10_000);

/** Returns the port, or 0 if another console of this worker still has it. */
export async function consolePort(): Promise<number> {
  const probe = createServer();
  try {
    await once(probe.listen(PORT, '127.0.0.1'), 'listening');
  } catch {
    return 0;
  }
  await new Promise((resolve) => probe.close(resolve));
  return PORT;
}
