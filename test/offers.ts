/**
 * Offers: what the suites of a run share, made once by the process that runs them, when the first worker
 * asks for it.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';

/** What workers ask for, by path. The text after a question mark in what a worker asks is passed on. */
export type Offers = Readonly<Record<string, (question: string) => Promise<unknown>>>;

/**
 * Offers to all workers, which reach this process through the environment variable. Returns undefined if
 * another project of the run has called it: once is enough.
 */
export async function offerToWorkers(variable: string, offers: Offers): Promise<(() => void) | undefined> {
  if (process.env[variable] !== undefined) return undefined;
  const made = new Map<string, Promise<unknown>>();
  const server = createServer((request, response) => {
    const { url = '' } = request;
    const asked = made.get(url) ?? make(offers, url);
    made.set(url, asked);
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

async function make(offers: Offers, url: string): Promise<unknown> {
  const [path = '', question = ''] = url.split('?');
  const offer = offers[path];
  if (offer === undefined) throw new TypeError(`No offer: ${url}`);
  return offer(decodeURIComponent(question));
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
