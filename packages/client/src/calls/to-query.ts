/** Query string of a request. */

/** Renders defined values as a query string. */
export function toQuery(parameters: Readonly<Record<string, string | number | undefined>>): string {
  const defined = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
  );
  return defined.length === 0 ? '' : `?${defined.join('&')}`;
}
