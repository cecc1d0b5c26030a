/** Search of the built site: each name of a member table, each code and some common words find their page. */
import type { Page } from 'playwright-core';
import { z } from 'zod';
import { groups, slugOf } from '../pages.ts';
import { RANKING } from './ranking.ts';

/** Words of readers, and the page that has to come first. */
const WORDS: Readonly<Record<string, readonly string[]>> = {
  ollama: ['/local-models/'],
  'local model': ['/local-models/'],
  'MCP server': ['/server-tools/'],
  'ask a person': ['/questions/'],
  worker: ['/cli-server/', '/store/', '/agents-as-jobs/'],
  login: ['/agent-options/'],
  'parallel agents': ['/run/', '/merging/'],
  'image input': ['/images-and-files/'],
  vLLM: ['/local-models/', '/providers/'],
  HTTPS_PROXY: ['/proxies/'],
  'discriminated union': ['/unions/'],
  Bedrock: ['/providers/'],
  bubblewrap: ['/sandboxes/'],
  useChat: ['/react/'],
  postgres: ['/store/'],
  response_format: ['/openai-wire/', '/runs/'],
  'response format': ['/openai-wire/'],
  sandcastle: ['/migrate/'],
  'replay a run': ['/record-replay/'],
  worktree: ['/worktrees/'],
  benchmarks: ['/bench/'],
  'company proxy': ['/proxies/'],
  'after a crash': ['/after-a-crash/'],
  'GitHub Actions': ['/github-actions/'],
  'Ubuntu 24.04': ['/github-actions/', '/sandboxes/'],
  'docker compose': ['/deploy/'],
  systemd: ['/deploy/'],
  macOS: ['/platforms/'],
  Windows: ['/platforms/'],
  WSL: ['/platforms/'],
  CommonJS: ['/platforms/'],
  Bun: ['/platforms/'],
  Deno: ['/platforms/'],
  monorepo: ['/platforms/'],
  'custom agent': ['/custom-agents/'],
  OpenRouter: ['/providers/'],
  LiteLLM: ['/providers/'],
  'test without a key': ['/testing/'],
  retention: ['/quotas/'],
  GDPR: ['/quotas/'],
  quotas: ['/quotas/'],
  Prometheus: ['/monitoring/'],
  'circuit breaker': ['/server-models/'],
  subagents: ['/server-tools/'],
  'web search': ['/server-tools/'],
  salience: ['/ensemble-manifests/', '/ensemble-rules/'],
  generateObject: ['/migrate/'],
  Express: ['/in-your-app/'],
  Hono: ['/in-your-app/'],
  images: ['/images-and-files/'],
  'rate limit': ['/unattended-runs/'],
  'usage limit': ['/unattended-runs/'],
  subscription: ['/unattended-runs/'],
  OpenTelemetry: ['/run-events/', '/generate/', '/monitoring/'],
};

/** A query, and the pages of which one has to be the first result. */
export interface Query {
  readonly text: string;
  readonly pages: readonly string[];
}

/** One word for the search: it takes `messages` for `message`, and `execution` for `execute`. `/errors/` is the page of `error`. */
function stemOf(word: string): string {
  return word.replace(/s$/u, '').replace(/(?:ed|ning|ion|e|d)$/u, '');
}

/** Words of a name in the sidebar, by which a page is found too. */
function wordsOf(label: string): readonly string[] {
  return label.toLowerCase().split(/\W+/u);
}

/** Returns the queries for names on pages, and for the words of readers. */
export function queriesOf(
  records: readonly { readonly name: string; readonly url: string }[],
): readonly Query[] {
  const byStem = Map.groupBy(records, ({ name }) => stemOf(name));
  const pagesOf = (name: string): readonly string[] => {
    const rows = byStem.get(stemOf(name)) ?? [];
    const named = groups
      .flatMap(({ pages }) => Object.entries(pages))
      .filter(([file, label]) =>
        [slugOf(file), ...wordsOf(label)].some((word) => stemOf(word) === stemOf(name)),
      );
    return [
      ...new Set([...rows.map(({ url }) => pageOf(url)), ...named.map(([file]) => `/${slugOf(file)}/`)]),
    ];
  };
  const names = [...new Set(records.map(({ name }) => name))];
  return [
    ...names.map((text) => ({ text, pages: pagesOf(text) })),
    ...Object.entries(WORDS).map(([text, pages]) => ({ text, pages })),
  ];
}

const answers = z.array(z.string());

/** Returns each query whose first result is another page, in a page of the site at `url`. */
export async function wrongResults(
  page: Page,
  url: string,
  queries: readonly Query[],
): Promise<readonly string[]> {
  await page.goto(`${url}/404.html`);
  const base = new URL(url).pathname.replace(/\/$/u, '');
  const texts = JSON.stringify(queries.map(({ text }) => text));
  // Evaluated as text: the module exists only in the built site.
  const found = answers.parse(
    await page.evaluate(`(async () => {
      const pagefind = await import('${base}/pagefind/pagefind.js');
      await pagefind.options({ ranking: ${JSON.stringify(RANKING)} });
      const first = [];
      for (const text of ${texts}) {
        const { results } = await pagefind.search(text);
        first.push(results.length === 0 ? 'no result' : (await results[0].data()).url);
      }
      return first;
    })()`),
  );
  return queries.flatMap(({ text, pages }, index) => {
    const first = pageOf((found[index] ?? '').slice(base.length));
    return pages.includes(first) ? [] : [`\`${text}\`: ${first}, not ${pages.join(' or ')}`];
  });
}

function pageOf(url: string): string {
  return url.split('#')[0] ?? '';
}
