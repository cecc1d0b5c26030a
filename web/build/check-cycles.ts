/** Vite plugin: fails the build if files import each other: a page that is opened first would run code without its parts. */
import type { Plugin } from 'vite';

/** Runs after the build has written its files. */
export function checkCycles(): Plugin {
  return {
    name: 'check-cycles',
    apply: 'build',
    writeBundle(_options, bundle) {
      const done = new Set<string>();
      const visit = (name: string, path: readonly string[]): void => {
        if (path.includes(name)) throw new TypeError(`Files import each other: ${path.join(', ')}.`);
        const file = bundle[name];
        if (file?.type === 'chunk' && !done.has(name)) {
          for (const imported of file.imports) visit(imported, [...path, name]);
        }
        done.add(name);
      };
      for (const name of Object.keys(bundle)) visit(name, []);
    },
  };
}
