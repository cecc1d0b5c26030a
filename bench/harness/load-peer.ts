/** Owns loading peers. They are installed in this folder only, and a plain checkout has none of them, so that their types are claimed by the caller. */

/** Imports a package of `bench/package.json`; `TModule` is the part of its documented interface that the bench uses. */
export async function loadPeer<TModule>(specifier: string): Promise<TModule> {
  const loaded: unknown = await import(specifier);
  return loaded as TModule; // Claimed: every contestant's answer is checked before it is timed.
}
