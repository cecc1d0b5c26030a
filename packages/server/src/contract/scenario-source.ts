/** Port of the scenarios that ensembles can play. The server package does not read manifests itself. */
import type { ScenarioListView } from '@truecast/client/internal/wire/ensemble';

/** Reads the scenarios of the server's working directory. */
export interface ScenarioSource {
  /** Reads the folder at each call: manifests change while the server runs. */
  list(): Promise<ScenarioListView>;
}
