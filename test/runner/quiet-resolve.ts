/**
 * Preload of a worker: Vitest reports each import of a source file to its main process, in some 3,000 messages per
 * worker. Only a run that watches files uses them. A source file that several import is looked for once.
 */
import module from 'node:module';

const { registerHooks } = module;

/** Specifiers that the hook of Vitest itself changes. */
const OF_VITEST = /vitest=|mock=actual/u;
/** A file near its importer, and one of a package of this repository: each importer gets the same. */
const SOURCE = /^(?:\.{1,2}\/.*\.ts|@truecast\/[\w/-]+)$/u;
const ROOT = new URL('../../', import.meta.url).href;

const found = new Map<string, module.ResolveFnOutput>();

const remembering: module.ResolveHookSync = (specifier, context, next) => {
  const { parentURL, conditions, importAttributes } = context;
  const isOurs = parentURL?.startsWith(ROOT) === true && !parentURL.includes('/node_modules/');
  if (!isOurs || !SOURCE.test(specifier) || !conditions.includes('import')) return next(specifier, context);
  if (Object.keys(importAttributes).length > 0) return next(specifier, context);
  const href = specifier.startsWith('.') ? new URL(specifier, parentURL).href : specifier;
  const known = found.get(href);
  // Node wants to be told where its own search is left out.
  if (known !== undefined) return { ...known, shortCircuit: true };
  const resolved = next(specifier, context);
  found.set(href, resolved);
  return resolved;
};

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
