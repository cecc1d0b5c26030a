/**
 * Offers: what the suites of a run share, made once by the process that runs them, when the first worker
 * asks for it.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';

/** What workers ask for, by path. */
export type Offers = Readonly<Record<string, () => Promise<unknown>>>;

/**
 * Offers to all workers, which reach this process through the environment variable. Returns undefined if
 * another project of the run has called it: once is enough.
 */
export async function offerToWorkers(variable: string, offers: Offers): Promise<(() => void) | undefined> {
  if (process.env[variable] !== undefined) return undefined;
  const made = new Map(Object.entries(offers).map(([path, make]) => [path, lazy(make)]));
  const server = createServer((request, response) => {
    const asked =
      made.get(request.url ?? '')?.() ?? Promise.reject(new TypeError(`No offer: ${request.url}`));
    asked.then(
      (value) => response.end(JSON.stringify(value)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  if (typeof address === 'object') process.env[variable] = `http://127.0.0.1:${address?.port}`;
  return () => server.close();
}

/** Returns what is offered at this path. The first call makes it. */
export async function askForOffer(variable: string, path: string): Promise<unknown> {
  const response = await fetch(`${process.env[variable]}${path}`);
  const text = await response.text();
  if (!response.ok) throw new TypeError(text);
  return JSON.parse(text);
}

/** Makes a value once. */
export function lazy<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => (made ??= make());
}
