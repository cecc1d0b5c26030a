/** Order of claims: owners take turns, and no limit is exceeded. Pure. */
import type { RunOffers } from './agent-executor.ts';

/** Queued runs with the same owner, repository and agent. Limits apply to all of them alike. */
export interface RunLane {
  readonly owner: string;
  readonly repository: string;
  readonly agent: string;
}

/** Runs of a lane that a worker has. */
export interface HeldRuns extends RunLane {
  readonly count: number;
}

/** Maximum numbers of runs that workers have at once, over all processes. */
export interface ClaimLimits {
  /** @default no limit */
  readonly perRepository?: number | undefined;
  /** @default no limit */
  readonly perAgent?: number | undefined;
  /** @default no limit */
  readonly perOwner?: number | undefined;
}

/** Limit that a lane has reached. */
export type ClaimLimit = 'repository_limit' | 'agent_limit' | 'owner_limit';

/** Returns the first limit that a lane has reached. Undefined if one more of its runs can start. */
export function reachedLimit(
  lane: RunLane,
  held: readonly HeldRuns[],
  { perRepository = Infinity, perAgent = Infinity, perOwner = Infinity }: ClaimLimits,
): ClaimLimit | undefined {
  if (countOf(held, 'repository', lane) >= perRepository) return 'repository_limit';
  if (countOf(held, 'agent', lane) >= perAgent) return 'agent_limit';
  return countOf(held, 'owner', lane) >= perOwner ? 'owner_limit' : undefined;
}

/** Returns true if the process can execute runs of the lane. */
export function isOffered({ repository, agent }: RunLane, { repositories, agents }: RunOffers): boolean {
  return repositories.includes(repository) && agents.includes(agent);
}

export interface ClaimFacts {
  readonly lanes: readonly RunLane[];
  readonly held: readonly HeldRuns[];
  readonly limits: ClaimLimits;
  readonly offers: RunOffers;
  /** Owners whose budget of the day is spent. @default none */
  readonly spent?: ReadonlySet<string>;
  /** Number of the owner's last start in this process, 0 without one. */
  readonly lastStart: (owner: string) => number;
}

/**
 * Returns the lanes whose next run can start, by owner. The owner with the fewest running runs is first. Of
 * equal owners, the one whose last run started the longest time ago.
 */
export function claimOrder({
  lanes,
  held,
  limits,
  offers,
  spent,
  lastStart,
}: ClaimFacts): readonly RunLane[][] {
  const byOwner = new Map<string, RunLane[]>();
  for (const lane of lanes) {
    if (spent?.has(lane.owner) === true) continue;
    if (!isOffered(lane, offers) || reachedLimit(lane, held, limits) !== undefined) continue;
    const others = byOwner.get(lane.owner);
    if (others === undefined) byOwner.set(lane.owner, [lane]);
    else others.push(lane);
  }
  const rank = ([lane]: readonly RunLane[]): readonly [number, number] =>
    lane === undefined ? [0, 0] : [countOf(held, 'owner', lane), lastStart(lane.owner)];
  return [...byOwner.values()].sort((one, other) => {
    const [running, started] = rank(one);
    const [otherRunning, otherStarted] = rank(other);
    return running - otherRunning || started - otherStarted;
  });
}

function countOf(held: readonly HeldRuns[], key: keyof RunLane, lane: RunLane): number {
  return held.reduce((sum, each) => (each[key] === lane[key] ? sum + each.count : sum), 0);
}
