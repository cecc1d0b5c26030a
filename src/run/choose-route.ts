/** Owns which way a run's answer takes: the tag in the text, or the agent's own schema mode. */
import { UsageError } from '../errors/usage-error.ts';
import type { AnyOutputDefinition } from '../output/definition.ts';
import { outputJsonSchema } from '../output/output-json-schema.ts';
import type { AgentProvider } from './agents/agent-provider.ts';

/** The routes that a coding agent has. */
export type RunRoute = 'tag' | 'native';

/** Chooses the route: the tag where there is one, else what `via` asks for, else the agent's native one. */
export function chooseRoute(output: AnyOutputDefinition, agent: AgentProvider): RunRoute {
  if (output.tag !== undefined) return 'tag';
  const via = output.via ?? 'native';
  if (via === 'native' && agent.nativeRoute !== undefined) return 'native';
  if (via === 'native') {
    throw new UsageError(
      `The agent \`${agent.name}\` has no schema mode of its own. Give the output a \`tag\`, and name it in the prompt.`,
    );
  }
  throw new UsageError(
    `The agent \`${agent.name}\` cannot answer via \`${via}\`. Give the output a \`tag\`, or set \`via: 'native'\` with an agent that has a schema mode.`,
  );
}

/**
 * Refuses an output that its route cannot carry.
 *
 * @throws UsageError naming the path in the JSON Schema that the agent's schema mode does not take
 */
export function assertRoute(output: AnyOutputDefinition, route: RunRoute, agent: AgentProvider): void {
  if (route === 'tag') return;
  agent.nativeRoute?.assertSchema(nativeSchema(output));
}

/** The JSON Schema that the agent's schema mode is given. */
export function nativeSchema(output: AnyOutputDefinition): unknown {
  const schema = outputJsonSchema(output);
  if (schema !== undefined) return schema;
  throw new UsageError('A text answer has no JSON Schema for the native route. Give the output a `tag`.');
}
