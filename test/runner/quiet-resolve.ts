/**
 * Preload of a worker: Vitest tells its main process each import of a source file, some 3,000 messages for each worker,
 * from which a run that watches finds the tests of a changed file. Others need none.
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
