/** Vite plugin: writes `files.json`, the list of files that the server serves, and their Brotli forms. */
import { readFileSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { Plugin } from 'vite';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
};
const LOADED: readonly string[] = ['.html', '.js', '.css'];

/** All scripts, styles and the page, gzip. The first view loads most of them. */
const MAX_GZIP_BYTES = 150_000;

/** Runs after the build has written its files. */
export function listFiles(): Plugin {
  return {
    name: 'list-files',
    apply: 'build',
    writeBundle({ dir = '' }, bundle) {
      let gzipBytes = 0;
      const files = Object.keys(bundle)
        .sort()
        .map((name) => {
          const type = TYPES[extname(name)];
          if (type === undefined)
            throw new TypeError(`${name}: add its media type to web/build/list-files.ts.`);
          const raw = readFileSync(join(dir, name));
          if (LOADED.includes(extname(name))) gzipBytes += gzipSync(raw).length;
          const compressed = brotliCompressSync(raw);
          const has_brotli = compressed.length < raw.length;
          if (has_brotli) writeFileSync(join(dir, `${name}.br`), compressed);
          return { name, type, has_brotli };
        });
      if (gzipBytes > MAX_GZIP_BYTES)
        throw new RangeError(
          `The console has ${gzipBytes} bytes (gzip), and its limit is ${MAX_GZIP_BYTES}. Import less.`,
        );
      writeFileSync(join(dir, 'files.json'), JSON.stringify(files));
    },
  };
}
