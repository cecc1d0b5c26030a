/**
 * Site map: the sidebar of the site, and the address of each page.
 *
 * Each page of `docs/` needs one row: add `'docs/NAME.md': 'Label'` to the group in which a reader looks
 * for it. A label has at most 30 characters. The address is the name of the file, so a row can move to
 * another group without a broken link.
 */

/** A group of the sidebar. */
export interface Group {
  readonly label: string;
  /** True for a group that a reader opens. @default false */
  readonly collapsed?: boolean;
  /** Files, relative to the repository, with their names in the sidebar. */
  readonly pages: Readonly<Record<string, string>>;
}

/** The sidebar, from top to bottom. */
export const groups: readonly Group[] = [
  {
    label: 'Start',
    pages: {
      'docs/first-answer.md': 'Your first typed answer',
      'docs/packages.md': 'Install',
      'docs/migrate.md': 'Move from another library',
      'docs/beside-others.md': 'Beside other tools',
    },
  },
  {
    label: 'Coding agents',
    pages: {
      'docs/run.md': 'Run an agent: run()',
      'docs/unattended-runs.md': 'Unattended runs, rate limits',
      'docs/agents-as-jobs.md': 'Agents as jobs',
      'docs/run-events.md': 'Events, logging, traces',
      'docs/prompts.md': 'Prompt templates',
      'docs/sandboxes.md': 'Sandboxes and network',
      'docs/worktrees.md': 'Reuse a worktree or sandbox',
      'docs/questions.md': 'Questions and refusals',
      'docs/checks.md': 'Check an answer with code',
      'docs/merging.md': 'Merge checked branches',
      'docs/batch.md': 'One prompt on many inputs',
      'docs/compare.md': 'Compare agents and models',
      'docs/agents.md': 'Supported agents',
      'docs/agent-options.md': 'Options of each agent',
      'docs/custom-agents.md': 'Custom agents',
      'docs/after-a-crash.md': 'After a crash',
      'docs/finalizer.md': 'Submit answers with MCP',
      'docs/github-actions.md': 'GitHub Actions',
    },
  },
  {
    label: 'Models',
    pages: {
      'docs/generate.md': 'Call a model: generate()',
      'docs/local-models.md': 'Ollama, vLLM, LM Studio',
      'docs/providers.md': 'OpenRouter, Azure, Bedrock',
      'docs/images-and-files.md': 'Images and files',
      'docs/output.md': 'Define the answer: Output',
      'docs/unions.md': 'Unions, several answers',
      'docs/schemas.md': 'Schemas and providers',
    },
  },
  {
    label: 'Chat server',
    pages: {
      'docs/server.md': 'Run the server',
      'docs/server-models.md': 'Models of a server',
      'docs/server-tools.md': 'Tools of chats',
      'docs/quotas.md': 'Quotas and retention',
      'docs/monitoring.md': 'Log, metrics, traces',
      'docs/deploy.md': 'Deploy a server',
      'docs/team.md': 'A server for a team',
      'docs/in-your-app.md': 'In Hono, Express, Next',
      'docs/react.md': 'Chats in React',
      'docs/chat-api.md': 'HTTP API',
      'docs/openai-wire.md': 'OpenAI-compatible API',
      'docs/store.md': 'SQLite and Postgres',
      'docs/chat-states.md': 'Chat states',
      'docs/runs.md': 'Agent runs',
      'docs/run-states.md': 'Run states',
    },
  },
  {
    label: 'Ensembles',
    pages: {
      'docs/ensemble.md': 'Play a scenario',
      'docs/ensemble-manifests.md': 'Manifests',
      'docs/ensemble-rules.md': 'How an ensemble plays',
      'docs/event-contract.md': 'Event contract',
    },
  },
  {
    label: 'Tests and CI',
    pages: {
      'docs/testing.md': 'Test without a key',
      'docs/record-replay.md': 'Record and replay a run',
    },
  },
  {
    // Platforms, proxies and module systems.
    label: 'Your environment',
    pages: {
      'docs/proxies.md': 'Company proxy',
      'docs/platforms.md': 'macOS, Windows, CommonJS, Bun',
      'docs/tested.md': 'What is tested',
    },
  },
  {
    label: 'Reference',
    pages: {
      'docs/cli.md': 'Command line',
      'docs/cli-server.md': 'Commands of the server',
      'docs/cli-ensemble.md': 'Command: truecast ensemble',
      'docs/errors.md': 'Errors',
      'docs/guarantees.md': 'Guarantees',
    },
  },
  {
    label: 'Background',
    collapsed: true,
    pages: {
      'ARCHITECTURE.md': 'Architecture',
      'SECURITY.md': 'Security model',
      'docs/bench.md': 'Benchmarks',
      'docs/compare-glue.md': 'Ten jobs, with and without',
      'CONTEXT.md': 'Glossary',
      'VERSIONING.md': 'Versions and support',
      'CHANGELOG.md': 'Changes',
      'docs/adr/README.md': 'Decisions',
      'CONTRIBUTING.md': 'Contribute',
      'docs/contributing/README.md': 'Recipes for changes',
    },
  },
];

/** Folders whose pages are on the site without a row. The index of each folder has one. */
const FOLDERS: Readonly<Record<string, string>> = {
  'docs/adr/': 'decisions/',
  'docs/contributing/': 'contributing/',
};

/** Files whose address is another word than their name. */
const RENAMED: Readonly<Record<string, string>> = {
  'CONTEXT.md': 'glossary',
  'CHANGELOG.md': 'changes',
  'docs/README.md': '',
  'README.md': '',
  'docs/adr/README.md': 'decisions',
  'docs/contributing/README.md': 'contributing/recipes',
};

/** Returns the address of a Markdown file below the site, without slashes at its ends. */
export function slugOf(file: string): string {
  const renamed = RENAMED[file];
  if (renamed !== undefined) return renamed;
  const folder = Object.keys(FOLDERS).find((each) => file.startsWith(each));
  const path = folder === undefined ? file : `${FOLDERS[folder] ?? ''}${file.slice(folder.length)}`;
  return path
    .replace(/^docs\//u, '')
    .replace(/\.md$/u, '')
    .toLowerCase();
}
