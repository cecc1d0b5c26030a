/**
 * Build plugin: each entry of a package for Node first loads a module that names a version of Node that is
 * too old. Without it, the first missing name of a newer Node would be reported as a syntax error.
 */
import type { Rolldown } from 'tsdown';
import { readManifest } from './published-manifest.ts';

const GUARD = 'node-version.mjs';

/** @param entries - names of the chunks that users import */
export function nodeGuard(folder: string, entries: ReadonlySet<string>): Rolldown.Plugin {
  return {
    name: 'node-guard',
    renderChunk(code, { name, isEntry, fileName }) {
      if (!isEntry || !entries.has(name) || fileName.endsWith('.d.mts')) return null;
      const up = '../'.repeat(name.split('/').length - 1);
      return `import "${up === '' ? './' : up}${GUARD}";\n${code}`;
    },
    generateBundle() {
      this.emitFile({ type: 'asset', fileName: GUARD, source: guardOf(folder) });
    },
  };
}

/** The module, in JavaScript that every Node with `import` reads. */
function guardOf(folder: string): string {
  const { name, engines } = readManifest(folder);
  const [major, minor] = (engines as { readonly node: string }).node.replace('>=', '').split('.');
  return `const [major, minor] = process.versions.node.split('.').map(Number);
if (major < ${major} || (major === ${major} && minor < ${minor})) {
  const message = \`${name} needs Node ${major}.${minor} or newer, and this is Node \${process.versions.node}. Install Node 24, for example with "nvm install 24".\`;
  const error = Object.assign(new Error(message), { name: 'UsageError', code: 'unsupported' });
  error.stack = message;
  throw error;
}
`;
}
