/** Writes the files of the site that come from the repository. `astro build` reads them. */
import { cpSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { samplePath, SAMPLES } from './samples.ts';
import { CONTENT, siteFiles } from './site-files.ts';

const SITE = join(import.meta.dirname, '..');
const ROOT = join(SITE, '..');
/** What a visitor's browser gets from other projects. The licence of a font has to be with it. */
const SHIPPED = [
  '@fontsource-variable/inter',
  '@fontsource-variable/jetbrains-mono',
  '@astrojs/starlight',
  'astro',
  'expressive-code',
  'pagefind',
];

/** Values of the owner, which are absent until a release. */
export function ownersValues(): { readonly repository?: string; readonly homepage?: string } {
  const values = JSON.parse(readFileSync(join(ROOT, 'placeholders.json'), 'utf8')) as Record<string, unknown>;
  const entries = Object.entries(values).filter(([, value]) => typeof value === 'string');
  return Object.fromEntries(entries);
}

/** Types of the names in the samples of the landing page, below `site/`. */
export const HOVERS_FILE = 'src/data/hovers.json';

/** Address of the site's root, without a slash at its end. */
export const BASE: string = (process.env['SITE_BASE'] ?? '').replace(/\/$/u, '');

async function prepare(): Promise<void> {
  for (const folder of [CONTENT, 'src/data', 'public']) {
    rmSync(join(SITE, folder), { recursive: true, force: true });
  }
  for (const [path, text] of siteFiles({ root: ROOT, base: BASE, repository: ownersValues().repository })) {
    const full = join(SITE, path);
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, text);
  }
  cpSync(join(ROOT, 'docs/images'), join(SITE, 'public/images'), { recursive: true });
  cpSync(join(SITE, 'src/assets/logo.svg'), join(SITE, 'public/favicon.svg'));
  writeFileSync(join(SITE, 'public/licenses.txt'), licenses());
  // The compiler is loaded only here.
  const { sampleHovers } = await import('./sample-hovers.ts');
  const samples = sampleHovers(ROOT, Object.keys(SAMPLES).map(samplePath));
  writeFileSync(join(SITE, HOVERS_FILE), JSON.stringify(samples));
}

function licenses(): string {
  const texts = SHIPPED.map((name) => {
    const folder = join(SITE, 'node_modules', name);
    const file = ['LICENSE', 'LICENSE.md', 'license']
      .map((each) => join(folder, each))
      .find((path) => statSync(path, { throwIfNoEntry: false })?.isFile());
    const { license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { license: string };
    return `${name} (${license})\n\n${file === undefined ? '' : readFileSync(file, 'utf8').trim()}\n`;
  });
  return texts.join('\n----\n\n');
}

if (import.meta.main) await prepare();
