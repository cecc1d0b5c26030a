/** Parser of `--agent`: creates the agent provider. */
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import type { StreamAgentProvider } from 'truecast/internal/ports/agent-provider';
import { command } from 'truecast/internal/agents/command';
import { ACP_AGENTS, AGENTS, findAgent } from 'truecast/internal/agents/registry/agents';
import { gotUnknown } from '@truecast/core/internal/options/known-options';
import { replay } from 'truecast/internal/run/record/replay';

const MAKERS: Readonly<Record<string, (detail: string | undefined) => StreamAgentProvider>> = {
  ...Object.fromEntries(
    Object.entries({ ...AGENTS, ...ACP_AGENTS }).map(([name, { make }]) => [
      name,
      (model?: string) => make(model),
    ]),
  ),
  command: (line) => command({ command: requireLine(line) }),
  replay: (file) => replay(requireFile(file)),
};

/** Agents known to `--agent`. */
const AGENT_NAMES: readonly string[] = Object.keys(MAKERS);

/**
 * Creates the agent of `claude-code`, `codex:gpt-5.4`, `command:./my-agent.sh --fast` or
 * `replay:recording.jsonl`.
 *
 * @throws UsageError for an unknown name, with the known names
 */
export function chooseAgent(reference: string): StreamAgentProvider {
  const colon = reference.indexOf(':');
  const name = colon === -1 ? reference : reference.slice(0, colon);
  const detail = colon === -1 ? undefined : reference.slice(colon + 1);
  const make = Object.hasOwn(MAKERS, name) ? MAKERS[name] : undefined;
  if (make === undefined) {
    throw new UsageError(
      `Expected \`--agent\` to be one of ${AGENT_NAMES.join(', ')}, ${gotUnknown(name, AGENT_NAMES)} Write \`claude-code\`, \`codex:MODEL\` or \`command:LINE\`.`,
    );
  }
  if (detail === '' && findAgent(name) !== undefined)
    throw new UsageError(
      `Expected a model after \`${reference}\`. Write \`${name}:MODEL\`, or \`${name}\` alone.`,
    );
  return make(detail === '' ? undefined : detail);
}

function requireLine(line: string | undefined): string {
  if (line !== undefined) return line;
  throw new UsageError('The agent `command` needs a command line. Write `--agent "command:./my-agent.sh"`.');
}

function requireFile(file: string | undefined): string {
  if (file !== undefined) return file;
  throw new UsageError('The agent `replay` needs a recording. Write `--agent replay:FILE`.');
}
