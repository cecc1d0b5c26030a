/**
 * Parser for a folder of manifests: validates them together and returns typed manifests or all
 * problems. Pure.
 */
import type { ManifestProblem } from '@truecast/core/internal/errors/manifest-error';
import { readAgentManifest } from './agent-fields.ts';
import type { CompleteManifest } from './agent-manifest.ts';
import type { KnownCode } from './judge-agent.ts';
import { judgeEnsemble } from './judge-ensemble.ts';
import { readModelsManifest, type Environment, type ModelsManifest } from './models-manifest.ts';
import { ALL_INTACT } from './salvage-fields.ts';
import type { CompleteScenario } from './scenario-manifest.ts';
import type { Sourced } from './yaml-source.ts';
import type { ManifestRead, ManifestText } from './read-fields.ts';
import { readScenarioManifest } from './scenario-fields.ts';

/** Consistent agents, scenarios and models. */
export interface EnsembleFolder {
  readonly agents: ReadonlyMap<string, CompleteManifest>;
  readonly scenarios: ReadonlyMap<string, CompleteScenario>;
  /** Absent without a `models.yaml`. */
  readonly models?: ModelsManifest;
}

/** The files of a folder. */
export interface EnsembleTexts {
  readonly agents: readonly ManifestText[];
  readonly scenarios: readonly ManifestText[];
  readonly models?: ModelsText;
}

export interface ModelsText extends ManifestText {
  /** True if the user allowed exactly this text by `truecast allow`. @default false */
  readonly isAllowed?: boolean;
}

/** Names beyond the folder that manifests can refer to. */
export interface EnsembleContext extends KnownCode {
  /**
   * Values of `$NAME` in `models.yaml`. The file can use names that begin with `TRUECAST_`, others
   * after `truecast allow`. @default `process.env`
   */
  readonly env?: Environment;
}

export type EnsembleRead =
  | { readonly success: true; readonly ensemble: EnsembleFolder }
  | {
      readonly success: false;
      readonly problems: readonly ManifestProblem[];
      /** Manifests that could be read. They can contradict each other. */
      readonly found: EnsembleFolder;
    };

/** Parses and validates the files of a folder. */
export function readEnsemble(
  texts: EnsembleTexts,
  context: EnsembleContext & { readonly env: Environment },
): EnsembleRead {
  const agents = texts.agents.map((text) => readAgentManifest(text, context));
  const scenarios = texts.scenarios.map((text) => readScenarioManifest(text));
  const models =
    texts.models === undefined
      ? undefined
      : readModelsManifest(texts.models, {
          env: context.env,
          isAllowed: texts.models.isAllowed === true,
        });
  const between = judgeEnsemble({
    agents: sourced(agents),
    scenarios: sourced(scenarios),
    models: models === undefined ? undefined : sourced([models])[0],
    unreadNames: texts.agents.filter((_, index) => agents[index]?.manifest === undefined).map(nameIn),
  });
  const problems = [
    ...[...agents, ...scenarios].flatMap((read) => read.problems),
    ...(models?.problems ?? []),
    ...between,
  ];
  const found: EnsembleFolder = {
    agents: byName(agents),
    scenarios: byName(scenarios),
    ...(models?.manifest !== undefined && { models: models.manifest }),
  };
  return problems.length > 0 ? { success: false, problems, found } : { success: true, ensemble: found };
}

function sourced<T>(reads: readonly ManifestRead<T>[]): Sourced<T>[] {
  return reads.flatMap(({ manifest, source, isIntact = ALL_INTACT }) =>
    manifest === undefined || source === undefined ? [] : [{ manifest, source, isIntact }],
  );
}

/** The agent name in an unreadable manifest. */
function nameIn({ text }: ManifestText): string | undefined {
  return /^name:[ \t]*["']?([\w-]+)/mu.exec(text)?.[1];
}

function byName<T extends { readonly name: string }>(
  reads: readonly ManifestRead<T>[],
): ReadonlyMap<string, T> {
  return new Map(
    reads.flatMap(({ manifest }) => (manifest === undefined ? [] : [[manifest.name, manifest]])),
  );
}
