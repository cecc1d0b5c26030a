/**
 * Parser for a folder of manifests: validates them together and returns typed manifests or all
 * problems. Pure.
 */
import type { ManifestProblem } from '@truecast/core/internal/errors/manifest-error';
import type { CompleteManifest } from './agent-manifest.ts';
import type { KnownCode } from './judge-agent.ts';
import { judgeEnsemble } from './judge-ensemble.ts';
import { readModelsManifest, type Environment, type ModelsManifest } from './models-manifest.ts';
import { readAgentManifest, type ManifestRead } from './parse-agent-manifest.ts';
import { ALL_INTACT } from './salvage-fields.ts';
import type { ScenarioManifest } from './scenario-manifest.ts';
import { type Sourced, readYaml } from './yaml-source.ts';
import { judgeScenario } from './judge-scenario.ts';
import { readFields } from './read-fields.ts';
import { SCENARIO_FIELDS, SCENARIO_FILLERS } from './scenario-fields.ts';

/** Consistent agents, scenarios and models. */
export interface EnsembleFolder {
  readonly agents: ReadonlyMap<string, CompleteManifest>;
  readonly scenarios: ReadonlyMap<string, ScenarioManifest>;
  /** Absent without a `models.yaml`. */
  readonly models?: ModelsManifest;
}

/** A file and its text. */
export interface ManifestText {
  /** Its name in problems. */
  readonly file: string;
  readonly text: string;
}

/** The files of a folder. */
export interface EnsembleTexts {
  readonly agents: readonly ManifestText[];
  readonly scenarios: readonly ManifestText[];
  readonly models?: ModelsText;
}

/** `models.yaml`. */
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

/** An ensemble, or all its problems. */
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
  const agents = texts.agents.map(({ text, file }) => readAgentManifest(text, file, context));
  const scenarios = texts.scenarios.map(({ text, file }) => readScenarioManifest(text, file));
  const models =
    texts.models === undefined
      ? undefined
      : readModelsManifest(texts.models.text, texts.models.file, {
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

/** Parses a scenario manifest. Its cast is validated later, when all agents are known. */
function readScenarioManifest(text: string, file: string): ManifestRead<ScenarioManifest> {
  const { source, problems } = readYaml(text, file);
  if (source === undefined) return { problems };
  const fields = readFields(source, SCENARIO_FIELDS, 'a scenario', SCENARIO_FILLERS);
  const structural = [...problems, ...fields.problems];
  if (fields.value === undefined) return { source, problems: structural };
  const sourced = { manifest: fields.value, source, isIntact: fields.isIntact };
  return { ...sourced, problems: [...structural, ...judgeScenario(sourced)] };
}
