/** Generates the files of `.truecast/` for `truecast init`. Never overwrites a file of the user. */
import { lstatSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { INIT_AGENTS, type AgentEntry, type NpmAgentEntry } from 'truecast/internal/agents/registry/agents';
import { SANDBOXES } from 'truecast/internal/sandboxes/registry/sandboxes';
import { openRegularFile } from 'truecast/internal/support/open-regular-file';
import { ensureRealFolder, TRUECAST_IGNORED } from 'truecast/internal/support/truecast-folder';
import type { InitAnswers } from './init-choices.ts';

/** Not secret: git tracks these files. */
const FILE_MODE = 0o644;

/** A file to write, with its name in `.truecast/`. */
export interface ScaffoldFile {
  readonly name: string;
  readonly text: string;
}

/** Relative to the sources' `src` and to the published `dist`. */
const TEMPLATES_URL: URL = new URL(
  import.meta.url.endsWith('.ts') ? '../../../truecast/templates/' : '../templates/',
  import.meta.url,
);

/**
 * Rejects a folder that already contains a program.
 *
 * @throws UsageError
 */
export function assertNotThere(folder: string, names: readonly string[]): void {
  const there = ['main.ts', 'main.mts', ...names].filter((name) => isThere(join(folder, name)));
  if (there.length === 0) return;
  throw new UsageError(
    `\`${folder}\` has ${[...new Set(there)].map((name) => `\`${name}\``).join(', ')} already. \`truecast init\` overwrites nothing. Move these files away, or keep using them.`,
  );
}

export async function scaffoldFiles(answers: InitAnswers, usesTs: boolean): Promise<readonly ScaffoldFile[]> {
  const extension = usesTs ? '.ts' : '.mts';
  const agent = INIT_AGENTS[answers.agent];
  const { container } = SANDBOXES[answers.sandbox];
  return [
    ...(await templateFiles(answers.template, extension)),
    { name: `agent${extension}`, text: agentFileText(answers) },
    { name: '.env.example', text: envExample(agent) },
    { name: '.gitignore', text: `${TRUECAST_IGNORED.join('\n')}\n` },
    ...(container === undefined ? [] : [{ name: container.imageFile, text: imageFileText(agent) }]),
  ];
}

/**
 * Writes the files. An existing `.gitignore` is not changed.
 *
 * @throws UsageError before anything is written, if one of the other files already exists;
 *   RepositoryError `unsafe-path` if the folder is a link
 */
export async function writeScaffold(
  folder: string,
  files: readonly ScaffoldFile[],
): Promise<readonly string[]> {
  assertNotThere(
    folder,
    files.map(({ name }) => name).filter((name) => name !== '.gitignore'),
  );
  ensureRealFolder(folder);
  const written = files.filter(({ name }) => name !== '.gitignore' || !isThere(join(folder, name)));
  for (const { name, text } of written) {
    await using file = await openRegularFile({ root: folder, path: name, mode: 'create' });
    await file.writeFile(text);
    await file.chmod(FILE_MODE);
  }
  return written.map(({ name }) => join(folder, name));
}

/** A link is there too, whatever it leads to. */
function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

async function templateFiles(template: string, extension: string): Promise<ScaffoldFile[]> {
  const folder = join(fileURLToPath(TEMPLATES_URL), template);
  const names = (await readdir(folder)).toSorted();
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(join(folder, name), 'utf8');
      if (!name.endsWith('.ts')) return { name, text };
      return {
        name: name.replace(/\.ts$/u, extension),
        text: text
          .replaceAll("'./agent.ts'", `'./agent${extension}'`)
          .replaceAll('main.ts', `main${extension}`),
      };
    }),
  );
}

/** Returns the source of the module with agent and sandbox, which the templates import. */
export function agentFileText({
  agent,
  model,
  sandbox,
}: Pick<InitAnswers, 'agent' | 'model' | 'sandbox'>): string {
  const { factory, preset } = INIT_AGENTS[agent];
  const place = SANDBOXES[sandbox];
  const names = [factory, place.factory].toSorted();
  const name = model === '' ? '' : `'${model.replaceAll(/[\\']/gu, String.raw`\$&`)}'`;
  const withModel = name === '' ? '' : `, model: ${name}`;
  const argument = preset === undefined ? name : `{ preset: '${preset}'${withModel} }`;
  return `/** Agent and sandbox of the program in this folder. */
import { ${names.join(', ')} } from 'truecast';

export const agent = ${factory}(${argument});

export const sandbox = ${place.factory}();

/**
 * Number of corrections: each reports the validation error to the agent and requests a new answer.
 */
export const maxCorrections: number = 2;
`;
}

function envExample({ keys }: AgentEntry): string {
  return `# Copy this file to .env, which git does not see. What is named here reaches the agent; with an empty value, it is taken from your own
# environment; what is not named stays outside. One of these is enough:
${keys.map((key) => `# ${key}=`).join('\n')}
`;
}

/** Returns the content of a Dockerfile or Containerfile. */
function imageFileText({ npm }: NpmAgentEntry): string {
  return `FROM node:24-bookworm

RUN apt-get update \\
  && apt-get install --yes --no-install-recommends ca-certificates curl git jq ripgrep \\
  && rm -rf /var/lib/apt/lists/*

# A fixed version: agents change what they print, and this one is tested with Truecast.
ARG AGENT_VERSION=${npm.version}
RUN npm install --global ${npm.name}@\${AGENT_VERSION}

# \`build-image\` passes your user and group id, so you own the files that the agent writes.
ARG AGENT_UID=1000
ARG AGENT_GID=1000
RUN userdel --remove node \\
  && groupadd --non-unique --gid \${AGENT_GID} agent \\
  && useradd --non-unique --uid \${AGENT_UID} --gid \${AGENT_GID} --home-dir /home/agent --create-home agent
USER \${AGENT_UID}:\${AGENT_GID}
ENV HOME=/home/agent

# Add what your project needs to be built and tested.
`;
}
