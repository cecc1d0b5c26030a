/** Vite plugin: writes `files.json`, the list of files that the server serves, and their Brotli forms. */
import { readFileSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import type { Plugin } from 'vite';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.woff2': 'font/woff2',
};

/** Runs after the build has written its files. */
export function listFiles(): Plugin {
  return {
    name: 'list-files',
    apply: 'build',
    writeBundle({ dir = '' }, bundle) {
      const files = Object.keys(bundle)
        .sort()
        .map((name) => {
          const type = TYPES[extname(name)];
          if (type === undefined) {
            throw new TypeError(`${name}: add its media type to web/build/list-files.ts.`);
          }
          const raw = readFileSync(join(dir, name));
          const compressed = brotliCompressSync(raw);
          const has_brotli = compressed.length < raw.length;
          if (has_brotli) writeFileSync(join(dir, `${name}.br`), compressed);
          return { name, type, has_brotli };
        });
      writeFileSync(join(dir, 'files.json'), JSON.stringify(files));
    },
  };
}
