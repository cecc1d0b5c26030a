/**
 * Bundled bridge: an agent of `acp()` whose bridge is one file, as in the published build. A start takes half
 * of the processor time that loading the sources does.
 */
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AgentProvider } from '../packages/truecast/src/ports/agent-provider.ts';
import { bundledHost } from './bundled-host.ts';

const BRIDGE = new URL('../packages/truecast/src/agents/acp/bridge.ts', import.meta.url);
const BUNDLE = await bundledHost(BRIDGE);
const PROGRAM = `export { runBridge } from ${JSON.stringify(pathToFileURL(BUNDLE).href)};`;

/** Returns the agent with the bundled bridge. */
export function withBundledBridge<Agent extends AgentProvider>(agent: Agent): Agent {
  return {
    ...agent,
    readonlyPaths: [dirname(BUNDLE)],
    buildPrintCommand(asked) {
      const made = agent.buildPrintCommand(asked);
      return { ...made, stdin: withProgram(made.stdin ?? '') };
    },
  };
}

/** Replaces the program of `<length>\n<program><request>`. */
function withProgram(stdin: string): string {
  const start = stdin.indexOf('\n') + 1;
  const request = Buffer.from(stdin.slice(start)).subarray(Number(stdin.slice(0, start)));
  return `${Buffer.byteLength(PROGRAM)}\n${PROGRAM}${request.toString()}`;
}
