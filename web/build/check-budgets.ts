/** Vite plugin: fails the build if the first view, or a chunk that is loaded later, is too large. */
import { gzipSync } from 'node:zlib';
import type { Plugin } from 'vite';

/** The page, its style, and all scripts that the start page loads at once. Gzip. */
const MAX_FIRST_VIEW_BYTES = 150_000;
/** Each chunk that is loaded later. Gzip. */
const MAX_CHUNK_BYTES = 50_000;
/** The code that reports about schemas while they are typed. Gzip. */
const MAX_EDITOR_BYTES = 120_000;
const EDITOR = 'dry-run';
/** All fonts together, which are compressed already. The page is drawn before they arrive. */
const MAX_FONT_BYTES = 24_000;

/** Output files, as far as the budgets need them. */
type Bundle = Readonly<
  Record<
    string,
    {
      readonly type: string;
      readonly code?: string;
      readonly source?: string | Uint8Array;
      readonly isEntry?: boolean;
      readonly imports?: readonly string[];
    }
  >
>;

/** Runs before the files are written. */
export function checkBudgets(): Plugin {
  return {
    name: 'check-budgets',
    apply: 'build',
    writeBundle(_options, bundle) {
      const files: Bundle = bundle;
      const sizeOf = (name: string): number =>
        gzipSync(files[name]?.code ?? files[name]?.source ?? '').length;
      const first = firstView(files);
      const firstBytes = first.reduce((sum, name) => sum + sizeOf(name), 0);
      check('The first view', firstBytes, MAX_FIRST_VIEW_BYTES);
      for (const name of Object.keys(files)) {
        if (first.includes(name) || files[name]?.type !== 'chunk') continue;
        check(name, sizeOf(name), name.includes(EDITOR) ? MAX_EDITOR_BYTES : MAX_CHUNK_BYTES);
      }
      const fonts = Object.keys(files).filter((name) => name.endsWith('.woff2'));
      const fontBytes = fonts.reduce((sum, name) => sum + (files[name]?.source?.length ?? 0), 0);
      check('The fonts', fontBytes, MAX_FONT_BYTES);
      process.stdout.write(`First view of the console: ${firstBytes} bytes (gzip), fonts: ${fontBytes}.\n`);
    },
  };
}

/** The page, the styles, and the entry with everything that it imports at once. */
function firstView(files: Bundle): readonly string[] {
  const names = new Set(Object.keys(files).filter((name) => /\.(?:html|css)$/u.test(name)));
  const add = (name: string): void => {
    if (names.has(name)) return;
    names.add(name);
    for (const imported of files[name]?.imports ?? []) add(imported);
  };
  for (const [name, { isEntry }] of Object.entries(files)) if (isEntry === true) add(name);
  return [...names];
}

function check(name: string, bytes: number, limit: number): void {
  if (bytes <= limit) return;
  throw new RangeError(`${name} has ${bytes} bytes (gzip), and its limit is ${limit}. Import less.`);
}
