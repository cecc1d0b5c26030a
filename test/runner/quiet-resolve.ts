/**
 * Preload of a worker: Vitest reports each import of a source file to its main process, in some 3,000 messages per
 * worker. Only a run that watches files uses them. A source file that several import is looked for once.
 */
import module from 'node:module';

const { registerHooks } = module;

/** Specifiers that the hook of Vitest itself changes. */
const OF_VITEST = /vitest=|mock=actual/u;
/** A file near its importer. */
const NEAR = /^\.{1,2}\/.*\.(?:ts|m?js)$/u;
/** A file of a package of this repository: each importer in the repository gets the same. */
const OF_PACKAGE = /^@truecast\/[\w/-]+$/u;
const ROOT = new URL('../../', import.meta.url).href;

const found = new Map<string, module.ResolveFnOutput>();

const remembering: module.ResolveHookSync = (specifier, context, next) => {
  const key = keyOf(specifier, context);
  const known = key === undefined ? undefined : found.get(key);
  // Node refuses a result without its own search, unless it is declared.
  if (known !== undefined) return { ...known, shortCircuit: true };
  const resolved = next(specifier, context);
  if (key !== undefined) found.set(key, resolved);
  return resolved;
};

/** Identity of the imported file, for all importers. Undefined where it depends on more. */
function keyOf(specifier: string, context: module.ResolveHookContext): string | undefined {
  const { parentURL, conditions, importAttributes } = context;
  if (!conditions.includes('import') || Object.keys(importAttributes).length > 0) return undefined;
  if (parentURL?.startsWith(ROOT) !== true) return undefined;
  if (NEAR.test(specifier)) return new URL(specifier, parentURL).href;
  return OF_PACKAGE.test(specifier) && !parentURL.includes('/node_modules/') ? specifier : undefined;
}

module.registerHooks = (hooks) => {
  const { resolve } = hooks;
  const tells = resolve?.toString().includes('ensureModuleGraphEntry') === true;
  if (resolve === undefined || !tells) return registerHooks(hooks);
  return registerHooks({
    ...hooks,
    resolve: (specifier, context, next) =>
      OF_VITEST.test(specifier) ? resolve(specifier, context, next) : remembering(specifier, context, next),
  });
};
