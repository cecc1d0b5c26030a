/**
 * Preload of a worker: Vitest reports each import of a source file to its main process, in some 3,000 messages per
 * worker. Only a run that watches files uses them.
 */
import module from 'node:module';

const { registerHooks } = module;

/** Specifiers that the hook of Vitest itself changes. */
const OF_VITEST = /vitest=|mock=actual/u;

module.registerHooks = (hooks) => {
  const { resolve } = hooks;
  const tells = resolve?.toString().includes('ensureModuleGraphEntry') === true;
  if (resolve === undefined || !tells) return registerHooks(hooks);
  return registerHooks({
    ...hooks,
    resolve: (specifier, context, next) =>
      OF_VITEST.test(specifier) ? resolve(specifier, context, next) : next(specifier, context),
  });
};
