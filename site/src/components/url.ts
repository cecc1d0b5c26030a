/** Addresses of the site, below the base that it is built for. */

/** Returns the address of a path that begins with a slash. */
export function url(path: string): string {
  return import.meta.env.BASE_URL.replace(/\/$/u, '') + path;
}
