/** Schema of `models.yaml`: models by profile and by name, for ensembles and servers. Pure. */
import { z } from 'zod';
import { MODEL_ENTRY, type ModelEntry } from './model-entry.ts';
import { strictMapping } from './field-schemas.ts';

export interface ModelsFile {
  /** If true, no model is called: the stub or the demo model answers. */
  readonly offline: boolean;
  readonly profiles: Readonly<Partial<Record<'tiny' | 'fast' | 'balanced' | 'strong', ModelEntry>>>;
  readonly endpoints: Readonly<Record<string, ModelEntry>>;
}

/** Schema of the file. Without a profile or an endpoint it is still valid. */
export const MODELS_FILE: z.ZodType<ModelsFile> = strictMapping({
  offline: z.boolean('true or false').default(false),
  profiles: strictMapping({
    tiny: MODEL_ENTRY.exactOptional(),
    fast: MODEL_ENTRY.exactOptional(),
    balanced: MODEL_ENTRY.exactOptional(),
    strong: MODEL_ENTRY.exactOptional(),
  }).prefault({}),
  endpoints: z.record(z.string(), MODEL_ENTRY, 'a mapping of names to endpoints').default({}),
});
