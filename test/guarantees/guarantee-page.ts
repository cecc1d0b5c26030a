/** Text of docs/guarantees.md: the table of guarantees and routes, and the reason for each cell. */
import { CELLS } from './table/cells.ts';
import { GUARANTEES, ROUTES, type Cell, type GuaranteeId, type Route } from './table/guarantees.ts';

const PARTS = {
  A: 'Answers',
  B: 'Errors',
  C: 'Confinement',
  D: 'Durability',
  E: 'Load',
  F: 'Real engines',
} as const;

type Part = keyof typeof PARTS;

const INTRODUCTION = `# Guarantees

For users who want to know what holds on the route that they use. Each guarantee is one promise for
all routes. The same hostile or unusual input is tried on each of them.

- **held**: a test tries the input on this route. The lists below name it.
- **n/a**: the guarantee cannot apply. The lists give the reason.
- **not promised**: the route cannot hold it. The lists give the reason.
- **open**: not built yet. A test that must fail until then records it, where one exists.

| route | start |
|---|---|
| \`run/none\`, \`run/bubblewrap\`, \`run/podman\` | \`run()\` in that sandbox. \`docker()\` has the implementation of \`podman()\` |
| \`kept\` | \`createSandbox()\` and \`createWorktree()\` |
| \`batch\` | \`runBatch()\` |
| \`merge\` | \`merge()\` of branches that agents made, and a batch that merges |
| \`generate\` | \`generate()\` |
| \`ensemble\` | \`createEnsemble()\` with \`manifestAgent()\` |
| \`chat\` | the chats of a server, and the agents that they start |
| \`wire\` | the OpenAI-compatible API of a server |
| \`runs\` | agent runs of a server: \`client.runs\`, \`truecast runs\` |
| \`command\` | \`truecast run\`, \`ensemble run\`, \`init\`, \`clean\` and others |
`;

const END = `
This page is generated from the tests in \`test/guarantees/\`. For each guarantee that a test holds, a
patch that removes it on one route is kept, and its test must fail with that patch
(\`npm run proof:guarantees\`).
`;

/** Returns the whole page. */
export function guaranteePage(): string {
  const parts = Object.keys(PARTS) as Part[];
  return `${[INTRODUCTION, ...parts.map(partText)].join('\n')}${END}`;
}

function partText(part: Part): string {
  const ids = (Object.keys(GUARANTEES) as GuaranteeId[]).filter((id) => id.startsWith(part));
  const planned = ids.every((id) => ROUTES.every((route) => 'planned' in CELLS[id][route]));
  const lists = planned
    ? `Open on all routes: ${reasonOf(CELLS[ids[0] ?? 'A0'][ROUTES[0]])}\n`
    : ids.map(reasons).join('\n');
  return `## ${PARTS[part]}\n\n${table(ids)}\n\n${lists}`;
}

function table(ids: readonly GuaranteeId[]): string {
  const rows = ids.map((id) => [
    `${id}. ${GUARANTEES[id]}`,
    ...ROUTES.map((route) => stateOf(CELLS[id][route])),
  ]);
  const heading = ['guarantee', ...ROUTES.map((route) => `\`${route}\``)];
  return [heading, heading.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function stateOf(cell: Cell): string {
  if ('held' in cell) return 'held';
  if ('notApplicable' in cell) return 'n/a';
  return 'notPromised' in cell ? 'not promised' : 'open';
}

/** Routes with the same cell share a line. */
function reasons(id: GuaranteeId): string {
  const byText = new Map<string, Route[]>();
  for (const route of ROUTES) {
    const text = reasonOf(CELLS[id][route]);
    byText.set(text, [...(byText.get(text) ?? []), route]);
  }
  const lines = [...byText].map(([text, routes]) => {
    const where =
      routes.length === ROUTES.length ? 'all routes' : routes.map((route) => `\`${route}\``).join(', ');
    return `- ${where}: ${text}`;
  });
  return `**${id}**\n\n${lines.join('\n')}\n`;
}

function reasonOf(cell: Cell): string {
  if ('held' in cell) return `held, ${cell.held}`;
  if ('notApplicable' in cell) return `n/a. ${cell.notApplicable}`;
  if ('notPromised' in cell) {
    return `not promised. ${cell.notPromised} See [${cell.see.split('#')[0]}](../${cell.see}).`;
  }
  return 'open' in cell ? `open: ${cell.open}. Today ${cell.because}.` : cell.planned;
}
