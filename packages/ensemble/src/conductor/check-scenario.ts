/** Scenario validation before anything is appended. Pure. */
import { describeValue } from '@truecast/core/internal/kit/describe-value';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import type { EnsembleAgent } from '../scenario/ensemble-agent.ts';
import { isEventKind } from '../ledger/event-kinds.ts';
import type { CastMember, EnsembleScenario } from '../scenario/ensemble-scenario.ts';

/**
 * Rejects a scenario with an inconsistent cast, schedule or competition, and agents that do not
 * match its seats.
 *
 * @throws UsageError `invalid-option`
 */
export function checkScenario(scenario: EnsembleScenario, agents: readonly EnsembleAgent[]): void {
  const { name, cast } = scenario;
  if (name.trim() === '') refuse('Expected the scenario to have a name, got an empty one. Name it.');
  if (cast.length === 0) refuse('Expected the cast to have a member, got none. Add one.');
  if (scenario.genesisText.trim() === '') {
    refuse('Expected `genesisText` to describe the first scene, got an empty string. Write one.');
  }
  assertOnce(
    'cast',
    cast.map((member) => member.name),
  );
  assertOnce(
    'agents',
    agents.map((agent) => agent.name),
  );
  for (const member of cast) checkMember(member, agents);
  checkTeams(scenario);
  checkSeats(scenario);
}

function checkMember(member: CastMember, agents: readonly EnsembleAgent[]): void {
  const { name, tickEvery, maxConsecutive, memory, subscribesTo } = member;
  if (!agents.some((agent) => agent.name === name)) {
    refuse(`Expected an agent for \`${name}\`, got none. Pass one in \`agents\`.`);
  }
  if (tickEvery !== null && !isCount(tickEvery)) {
    refuse(
      `Expected \`tickEvery\` of \`${name}\` to be null or a non-negative integer, got ${describeValue(tickEvery)}.`,
    );
  }
  if (!isCount(maxConsecutive) || maxConsecutive === 0) {
    refuse(
      `Expected \`maxConsecutive\` of \`${name}\` to be a positive integer, got ${describeValue(maxConsecutive)}.`,
    );
  }
  if (!isCount(memory.window)) {
    refuse(
      `Expected \`memory.window\` of \`${name}\` to be a non-negative integer, got ${describeValue(memory.window)}.`,
    );
  }
  for (const subscription of subscribesTo) {
    const kind = typeof subscription === 'string' ? subscription : subscription.kind;
    if (!isEventKind(kind)) {
      refuse(
        `Expected \`subscribesTo\` of \`${name}\` to contain kinds such as \`agent.spoke\`, got ${describeValue(kind)}.`,
      );
    }
  }
}

function checkSeats({ competition = { kind: 'none' }, cast }: EnsembleScenario): void {
  const seats = competition.kind === 'none' ? undefined : competition.symmetricSeats;
  if (seats === undefined) return;
  const stranger = seats.find((seat) => !cast.some(({ name }) => name === seat));
  if (stranger !== undefined || seats.length < 2) {
    refuse(
      `Expected \`symmetricSeats\` to be two or more members of the cast, got ${describeValue(stranger ?? seats)}.`,
    );
  }
  assertOnce('symmetricSeats', seats);
}

function checkTeams({ competition, cast }: EnsembleScenario): void {
  if (competition?.kind !== 'versus') return;
  const names = cast.map(({ name }) => name);
  const { teams = {}, hidden } = competition;
  if (hidden !== undefined && !Object.hasOwn(teams, hidden)) {
    refuse(`Expected \`hidden\` to be the label of a team, got ${describeValue(hidden)}.`);
  }
  for (const [label, members] of Object.entries(teams)) {
    if (names.includes(label)) {
      refuse(`Expected the team \`${label}\` to have a unique name, got the name of a member of the cast.`);
    }
    const stranger = members.find((name) => !names.includes(name));
    if (stranger !== undefined || members.length === 0) {
      refuse(`Expected the team \`${label}\` to have members of the cast, got ${describeValue(stranger)}.`);
    }
  }
  assertOnce('teams', Object.values(teams).flat());
}

function assertOnce(option: string, names: readonly string[]): void {
  const doubled = names.find((name, index) => names.indexOf(name) !== index);
  if (doubled !== undefined) {
    refuse(`Expected \`${option}\` to name each once, got ${describeValue(doubled)} twice. Remove one.`);
  }
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function refuse(message: string): never {
  throw new UsageError(message);
}
