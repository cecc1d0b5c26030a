/** Site: Starlight with our theme, from the pages that `prepare/` writes. */
import { satteri } from '@astrojs/markdown-satteri';
import starlight from '@astrojs/starlight';
import type { AstroIntegration } from 'astro';
import { defineConfig, passthroughImageService } from 'astro/config';
import { fileURLToPath } from 'node:url';
import { RANKING } from './check/ranking.ts';
import { finishPages } from './finish-pages.ts';
import { indexSearch } from './index-search.ts';
import { groups, slugOf } from './pages.ts';
import { BASE, ownersValues } from './prepare/prepare.ts';

const { repository, homepage } = ownersValues();

/** Runs after Starlight: its own index has only the pages. */
const afterBuild: AstroIntegration = {
  name: 'after-build',
  hooks: {
    'astro:build:done': async ({ dir }) => {
      const folder = fileURLToPath(dir);
      finishPages(folder);
      await indexSearch(folder);
    },
  },
};

export default defineConfig({
  ...(homepage !== undefined && { site: new URL(homepage).origin }),
  base: BASE === '' ? '/' : BASE,
  trailingSlash: 'always',
  image: { service: passthroughImageService() },
  // The pages name flags, such as `--quiet`, and quote code.
  markdown: { processor: satteri({ features: { smartPunctuation: false } }) },
  devToolbar: { enabled: false },
  integrations: [
    starlight({
      title: 'Truecast',
      description: 'Typed, validated results from AI agents.',
      logo: { src: './src/assets/logo.svg' },
      favicon: '/favicon.svg',
      social: repository === undefined ? [] : [{ icon: 'seti:git', label: 'Source', href: repository }],
      customCss: ['./src/styles/theme.css'],
      components: {
        Footer: './src/components/footer.astro',
        Header: './src/components/header.astro',
        Hero: './src/components/no-hero.astro',
        MobileMenuFooter: './src/components/no-menu-footer.astro',
      },
      credits: false,
      pagefind: { ranking: RANKING },
      lastUpdated: false,
      tableOfContents: { minHeadingLevel: 2, maxHeadingLevel: 3 },
      expressiveCode: {
        themes: ['github-dark-default', 'github-light-default'],
        minSyntaxHighlightingColorContrast: 5.5,
        styleOverrides: {
          borderRadius: '10px',
          codeFontFamily: 'var(--sl-font-mono)',
          codeFontSize: '0.84rem',
          frames: { shadowColor: 'transparent' },
        },
      },
      sidebar: groups.map(({ label, collapsed = false, pages }) => ({
        label,
        collapsed,
        items: Object.entries(pages).map(([file, name]) => ({ slug: slugOf(file), label: name })),
      })),
    }),
    afterBuild,
  ],
});
