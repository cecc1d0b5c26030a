/** Validation of equal seats: members that differ only in name, persona and model. Pure. */
import type { ManifestProblem } from '@truecast/core/internal/errors/manifest-error';
import { isDeepStrictEqual } from 'node:util';
import type { AgentManifest } from './agent-manifest.ts';
import type { ScenarioManifest } from './scenario-manifest.ts';
import type { YamlSource } from './yaml-source.ts';

/** The parts of a manifest that would favour a seat, with their YAML keys. */
const EQUAL_PARTS = {
  role: 'role',
  mayEmit: 'may_emit',
  subscribesTo: 'subscribes_to',
  schedule: 'schedule',
  memory: 'memory',
  outputExtraFields: 'output_extra_fields',
} as const satisfies Partial<Record<keyof AgentManifest, string>>;

/** Returns a problem for each part in which a seat differs from the first one. */
export function judgeSeats(
  { competition }: ScenarioManifest,
  source: YamlSource,
  cast: readonly AgentManifest[],
): readonly ManifestProblem[] {
  const seats = competition.kind === 'none' ? [] : (competition.symmetricSeats ?? []);
  const members = seats.map((name) => cast.find((agent) => agent.name === name));
  const [first] = members;
  return members.flatMap((agent, index) => {
    if (first === undefined || agent === undefined) return [];
    const parts = Object.entries(EQUAL_PARTS).filter(([part]) => {
      const name = part as keyof typeof EQUAL_PARTS; // A key of the table.
      return !isDeepStrictEqual(first[name], agent[name]);
    });
    const path = ['competition', 'symmetric_seats', index];
    return parts.map(([, key]) => {
      const message = `\`${agent.name}\` and \`${first.name}\` have symmetric seats, and differ in \`${key}\`.`;
      return source.problem(path, message, { hint: 'Make them equal, or remove one of the seats.' });
    });
  });
}
