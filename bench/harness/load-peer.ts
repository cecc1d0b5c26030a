/**
 * Loads peers. They are installed only in this folder and missing in a plain checkout, so the
 * caller asserts their types.
 */

/**
 * Imports a package of `bench/package.json`. `TModule` is the part of the documented interface that
 * the bench uses.
 */
export async function loadPeer<TModule>(specifier: string): Promise<TModule> {
  const loaded: unknown = await import(specifier);
  return loaded as TModule; // Unchecked: every contestant's answer is checked before timing.
}
