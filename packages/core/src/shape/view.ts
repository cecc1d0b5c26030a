/** View maker: an object without its undefined members, of which none can be forgotten. Pure. */

/** All members of a view. An absent one is written as `undefined`. */
export type Whole<T> = { readonly [K in keyof T]-?: object extends Pick<T, K> ? T[K] | undefined : T[K] };

/** Returns a view without its undefined members. The compiler reports a member that is missing. */
export function view<T extends object>(members: NoInfer<Whole<T>>): T {
  const present: Partial<Record<keyof T, unknown>> = {};
  for (const key in members) if (members[key] !== undefined) present[key] = members[key];
  // The members that are left out are optional ones.
  return present as T;
}
