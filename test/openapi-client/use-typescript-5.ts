/**
 * Loads the compiler that the generator was written for: TypeScript 7 has no API to write code
 * with. Loaded before it by `--import`.
 */
import { registerHooks } from 'node:module';

registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier === 'typescript' ? 'typescript-5' : specifier, context),
});
