/** Server of the built site on 127.0.0.1, for the checks in a browser. */
import { once } from 'node:events';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.md': 'text/markdown; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.woff2': 'font/woff2',
};

/** A server for `await using`. */
export interface SiteServer extends AsyncDisposable {
  /** Address of the landing page, without a slash at its end. */
  readonly url: string;
}

/** Serves the files of `dist` below `base`. Another address is answered with the page for it, and 404. */
export async function serveSite(dist: string, base: string): Promise<SiteServer> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://site');
    const file = fileAt(dist, decodeURIComponent(pathname).slice(base.length));
    const found = file ?? join(dist, '404.html');
    response.writeHead(file === undefined ? 404 : 200, {
      'content-type': TYPES[extname(found)] ?? 'application/octet-stream',
    });
    response.end(readFileSync(found));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}${base}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function fileAt(dist: string, path: string): string | undefined {
  const full = join(dist, normalize(`/${path}`));
  const file = path.endsWith('/') ? join(full, 'index.html') : full;
  return existsSync(file) && statSync(file).isFile() ? file : undefined;
}
