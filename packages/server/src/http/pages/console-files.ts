/** Static files of the console: exactly the names that its build lists, without a token. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

const RULES: readonly string[] = [
  "default-src 'none'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
];

const CONSOLE_POLICY: string = contentPolicy([
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "manifest-src 'self'",
]);

/** Addresses of the API. They never answer with the console's page. `/docs` itself is one of its pages. */
const API = /^\/(?:api|v1|docs\/.+|openapi\.json|metrics|healthz|readyz)(?:\/|$)/u;
const PAGE = '/index.html';
/** Names, types and encodings of the built files. */
const LIST = 'files.json';
const BROTLI = /\bbr\b/u;

const listSchema = z.array(z.strictObject({ name: z.string(), type: z.string(), has_brotli: z.boolean() }));
type ListedFile = z.infer<typeof listSchema>[number];

export interface ConsoleFiles {
  /** Returns the file at an address, or the page for a deep link. Undefined for any other request. */
  answer(request: Request): Response | undefined;
}

/** Folder of the built console: next to `src` in a checkout, next to `dist` in the package. */
export function consoleFolder(): string {
  const isSource = import.meta.url.endsWith('.ts');
  return fileURLToPath(new URL(isSource ? '../../../console/' : '../console/', import.meta.url));
}

/** Returns true if the console is built. */
export function hasConsoleBuild(folder: string = consoleFolder()): boolean {
  return existsSync(join(folder, LIST));
}

/** Opens a built console. Undefined if the folder has no build. */
export function openConsole(folder: string): ConsoleFiles | undefined {
  if (!hasConsoleBuild(folder)) return undefined;
  const listed = listSchema.parse(JSON.parse(readFileSync(join(folder, LIST), 'utf8')));
  const files = new Map(listed.map((file) => [`/${file.name}`, file]));
  return {
    answer({ method, url, headers }) {
      if (method !== 'GET' && method !== 'HEAD') return undefined;
      const { pathname } = new URL(url);
      const file = files.get(pathname) ?? (isPage(pathname, headers) ? files.get(PAGE) : undefined);
      return file === undefined ? undefined : respond(folder, file, { method, headers });
    },
  };
}

/** Returns true for a deep link: a browser opens an address that is not part of the API. */
function isPage(pathname: string, headers: Headers): boolean {
  return (headers.get('accept') ?? '').includes('text/html') && !API.test(pathname);
}

function respond(
  folder: string,
  { name, type, has_brotli }: ListedFile,
  { method, headers }: Pick<Request, 'method' | 'headers'>,
): Response {
  const isBrotli = has_brotli && BROTLI.test(headers.get('accept-encoding') ?? '');
  // The name comes from the build's list, never from the request.
  const body = method === 'HEAD' ? null : readFileSync(join(folder, isBrotli ? `${name}.br` : name));
  return new Response(body, {
    headers: {
      'content-type': type,
      'content-security-policy': CONSOLE_POLICY,
      vary: 'accept-encoding',
      'cache-control': name.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
      ...(isBrotli && { 'content-encoding': 'br' }),
    },
  });
}

/** Returns the header's value for a page that calls this server only, with its own rules. */
function contentPolicy(rules: readonly string[]): string {
  return [...rules, ...RULES].join('; ');
}
