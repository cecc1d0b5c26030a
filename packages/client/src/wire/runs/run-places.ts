/** Wire format of the places of agent runs: repositories and workers, by name. */
import { array, count, object, string, type ObjectOf, type Shape } from '@truecast/core/internal/shape/shape';

/** A process that executes agent runs. */
const workerMembers = {
  /** As `worker` of a run that it executes. */
  name: string,
  repositories: array(string),
  agents: array(string),
  /** Runs at once. */
  places: count,
};
const workersMembers = { workers: array(object(workerMembers, 'RunWorker')) };
/** The processes that execute agent runs now. */
export interface RunWorkersView extends ObjectOf<typeof workersMembers> {}
export const runWorkersView: Shape<RunWorkersView> = object(workersMembers, 'RunWorkers');

/** A repository in which agents can work. */
const repositoryMembers = {
  name: string,
  /** Agents that can work there. */
  agents: array(string),
};
const repositoriesMembers = {
  repositories: array(object(repositoryMembers, 'RunRepository')),
};
/** The repositories of the server's configuration. */
export interface RunRepositoriesView extends ObjectOf<typeof repositoriesMembers> {}
export const runRepositoriesView: Shape<RunRepositoriesView> = object(repositoriesMembers, 'RunRepositories');
