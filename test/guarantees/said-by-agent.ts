/** Answers of an agent on the routes that start one: what it prints, and what the route accepted. */
import { Output } from '../../packages/core/src/output/output.ts';
import { jsonSchema } from '../../packages/core/src/schema/json-schema.ts';
import { claudeCode } from '../../packages/truecast/src/agents/claude-code/claude-code.ts';
import type { AgentProvider } from '../../packages/truecast/src/ports/agent-provider.ts';
import { bubblewrap } from '../../packages/truecast/src/sandboxes/bubblewrap.ts';
import { podman } from '../../packages/truecast/src/sandboxes/podman.ts';
import { TEST_IMAGE } from '../containers/shared-image.ts';
import { installFakeClaude } from '../install-fake-claude.ts';
import { makeRepository } from '../run/fixture.ts';
import { AGENT_ROUTES } from './routes/agent-routes.ts';
import { runCommand } from './routes/command.ts';
import { runAsJob } from './routes/job-route.ts';
import type { Outcome } from './routes/outcome.ts';
import { FORMAT } from './routes/server.ts';

/** Routes whose agent answers a question of the caller. */
export const ANSWERING = [
  'run/none',
  'run/bubblewrap',
  'run/podman',
  'kept',
  'batch',
  'runs',
  'command',
] as const;

/** One of them. */
export type AnsweringRoute = (typeof ANSWERING)[number];

const { schema: SCHEMA } = FORMAT.json_schema;
const schema = jsonSchema(SCHEMA);

/** Lets an agent print a text whose answer is in the tag `result`. */
export async function say(route: AnsweringRoute, text: string): Promise<Outcome> {
  if (route === 'command') {
    const args = ['extract', '--tag', 'result', '--schema', JSON.stringify(SCHEMA)];
    return runCommand({ cwd: makeRepository(), args, input: text });
  }
  const output = Output.object({ schema, tag: 'result', maxCorrections: 0 });
  const script = printing([text]);
  return AGENT_ROUTES[route]({ repository: makeRepository(), script, options: { output } });
}

/** Lets Claude Code print the lines of its stream, and answer in its schema mode. */
export async function stream(route: AnsweringRoute, lines: readonly object[]): Promise<Outcome> {
  const script = printing(lines.map((line) => JSON.stringify(line)));
  const cwd = makeRepository();
  if (route === 'command') {
    installFakeClaude('', script);
    const flags = ['--sandbox', 'none', '--mode', 'native', '--max-corrections', '0', '--json'];
    const args = ['run', 'Count.', '--agent', 'claude-code', '--schema', JSON.stringify(SCHEMA), ...flags];
    return runCommand({ cwd, args });
  }
  const output = Output.object({ schema, maxCorrections: 0 });
  if (route === 'runs') return runAsJob({ repository: cwd, script: '', stream: script, output });
  const agent: AgentProvider = {
    ...claudeCode('m', { captureSessions: false }),
    program: 'sh',
    buildPrintCommand: () => ({ command: script }),
  };
  return AGENT_ROUTES[route]({
    repository: cwd,
    script,
    agent,
    // Without a model, so without a way to one.
    ...(route === 'run/bubblewrap' && { provider: bubblewrap({ egress: 'none' }) }),
    ...(route === 'run/podman' && { provider: podman({ imageName: TEST_IMAGE, egress: 'none' }) }),
    options: { output },
  });
}

/** A shell script that prints the texts, each on its own lines. */
function printing(texts: readonly string[]): string {
  return texts.map((text) => `cat <<'END_OF_TEXT'\n${text}\nEND_OF_TEXT`).join('\n');
}
