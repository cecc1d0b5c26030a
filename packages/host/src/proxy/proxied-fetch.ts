/** Fetch through the proxy of the environment, if it has one. */
import { proxyFor } from './environment-proxy.ts';

/** As `fetch()`, through `HTTPS_PROXY` or `HTTP_PROXY` unless `NO_PROXY` lists the host. */
export const proxiedFetch: typeof fetch = async (input, init) => {
  const proxy = proxyFor(new URL(input instanceof Request ? input.url : input));
  if (proxy === undefined) return fetch(input, init);
  // Imported here, because most processes have no proxy.
  const { fetchThrough } = await import('./fetch-through.ts');
  return fetchThrough(proxy, input, init);
};
