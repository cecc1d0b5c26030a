/** Resolves the package's name to its sources: `node --import ./test/from-source.ts program.ts`. */
import { registerHooks } from 'node:module';

const SANDBOX = /^truecast\/sandboxes\/(.+)$/u;
const SUBPATH = /^truecast\/(.+)$/u;

function sourceOf(specifier: string): string | undefined {
  if (specifier === 'truecast') return '../packages/truecast/src/index.ts';
  const sandbox = SANDBOX.exec(specifier)?.[1];
  if (sandbox !== undefined) return `../packages/truecast/src/sandboxes/${sandbox}.ts`;
  const subpath = SUBPATH.exec(specifier)?.[1];
  return subpath === undefined ? undefined : `../packages/truecast/src/exports/${subpath}.ts`;
}

registerHooks({
  resolve(specifier, context, next) {
    const source = sourceOf(specifier);
    return source === undefined
      ? next(specifier, context)
      : next(new URL(source, import.meta.url).href, context);
  },
});
