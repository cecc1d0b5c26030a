/** Port of the consoles of a worker: one after the other has it, so that the browser has the files of this address. */
import { once } from 'node:events';
import { createServer } from 'node:net';

let last = 0;

/** Returns the port of the last console if it is free, else 0. */
export async function consolePort(): Promise<number> {
  if (last === 0) return 0;
  const probe = createServer();
  try {
    await once(probe.listen(last, '127.0.0.1'), 'listening');
    await new Promise((resolve) => probe.close(resolve));
    return last;
  } catch {
    return 0;
  }
}

/** The next console gets the port of this one. */
export function keepPort(url: string): void {
  last = Number(new URL(url).port);
}
