/**
 * Validators of the corpus bench behind one interface, which only returns whether a value is valid.
 */
import { compileJsonSchema } from '../../packages/core/src/schema/engine/compile-json-schema.ts';
import { loadPeer } from '../harness/load-peer.ts';

export type Judge = (value: unknown) => boolean;
export type CorpusDraft = '2020-12' | '2019-09' | '7' | '6' | '4';

export interface CorpusEngine {
  readonly name: string;
  /** Compiles, or throws the engine's error. */
  compile(schema: Record<string, unknown>, draft: CorpusDraft): Judge | Promise<Judge>;
}

interface Ajv {
  compile(schema: object): Judge;
}
type AjvClass = new (options: Record<string, unknown>) => Ajv;
interface TypeBoxModule {
  readonly Compile: (schema: object) => { Check(value: unknown): boolean };
}
interface CfworkerModule {
  readonly Validator: new (
    schema: object,
    draft: string,
  ) => { validate(value: unknown): { readonly valid: boolean } };
}
interface SchemasafeModule {
  readonly validator: (schema: object, options: Record<string, unknown>) => Judge;
}
interface HyperjumpModule {
  registerSchema(schema: object, uri: string | undefined, dialect: string): void;
  unregisterSchema(uri: string): void;
  validate(uri: string): Promise<(value: unknown) => { readonly valid: boolean }>;
}

const DIALECTS: Readonly<Record<CorpusDraft, string>> = {
  '2020-12': 'https://json-schema.org/draft/2020-12/schema',
  '2019-09': 'https://json-schema.org/draft/2019-09/schema',
  '7': 'http://json-schema.org/draft-07/schema#',
  '6': 'http://json-schema.org/draft-06/schema#',
  '4': 'http://json-schema.org/draft-04/schema#',
};

/** Returns the draft of a schema. A schema that declares none is read as the latest draft. */
export function draftOf({ $schema }: Readonly<Record<string, unknown>>): CorpusDraft {
  const declared = String($schema).replace(/#$/u, '');
  for (const draft of ['2019-09', '7', '6', '4'] as const) {
    if (DIALECTS[draft].replace(/#$/u, '') === declared) return draft;
  }
  return '2020-12';
}

/** All engines, ours first, the oracle last. */
export async function loadCorpusEngines(): Promise<readonly CorpusEngine[]> {
  const peers = [loadTypeBox(), loadAjv(), loadCfworker(), loadSchemasafe(), loadHyperjump()];
  return [ours, ...(await Promise.all(peers))];
}

const ours: CorpusEngine = {
  name: 'truecast',
  compile: (schema) => {
    const compiled = compileJsonSchema(schema, { maxBytes: 1_048_576, maxNodes: 200_000 });
    return (value) => compiled.validate(value).valid;
  },
};

async function loadTypeBox(): Promise<CorpusEngine> {
  const { Compile } = await loadPeer<TypeBoxModule>('typebox/schema');
  return {
    name: 'typebox 1.4',
    compile: (schema) => {
      const compiled = Compile(schema);
      return (value) => compiled.Check(value);
    },
  };
}

async function loadAjv(): Promise<CorpusEngine> {
  const { Ajv: Ajv7 } = await loadPeer<{ Ajv: AjvClass }>('ajv');
  const { Ajv2019 } = await loadPeer<{ Ajv2019: AjvClass }>('ajv/dist/2019.js');
  const { Ajv2020 } = await loadPeer<{ Ajv2020: AjvClass }>('ajv/dist/2020.js');
  const classes: Partial<Record<CorpusDraft, AjvClass>> = {
    '2020-12': Ajv2020,
    '2019-09': Ajv2019,
    '7': Ajv7,
  };
  return {
    name: 'ajv 8',
    compile: (schema, draft) => {
      const AjvOfDraft = classes[draft];
      if (AjvOfDraft === undefined) throw new Error(`Draft ${draft} is not one of Ajv's own.`);
      // Its own metaschemas are not loaded, so that the corpus can contain them.
      return new AjvOfDraft({ strict: false, meta: false, validateSchema: false, logger: false }).compile({
        ...schema,
        $schema: undefined,
      });
    },
  };
}

async function loadCfworker(): Promise<CorpusEngine> {
  const { Validator } = await loadPeer<CfworkerModule>('@cfworker/json-schema');
  return {
    name: '@cfworker/json-schema',
    compile: (schema, draft) => {
      const validator = new Validator(schema, draft === '6' ? '7' : draft);
      return (value) => validator.validate(value).valid;
    },
  };
}

async function loadSchemasafe(): Promise<CorpusEngine> {
  const { validator } = await loadPeer<SchemasafeModule>('@exodus/schemasafe');
  return {
    name: '@exodus/schemasafe',
    compile: (schema) => validator(schema, { mode: 'lax', isJSON: true, allowUnusedKeywords: true }),
  };
}

async function loadHyperjump(): Promise<CorpusEngine> {
  const { registerSchema, unregisterSchema, validate } = await loadPeer<HyperjumpModule>(
    '@hyperjump/json-schema/draft-2020-12',
  );
  for (const draft of ['04', '06', '07', '2019-09']) await loadPeer(`@hyperjump/json-schema/draft-${draft}`);
  let count = 0;
  return {
    name: '@hyperjump/json-schema (oracle)',
    compile: async (schema, draft) => {
      count += 1;
      const uri = `https://corpus.test/${count}`;
      // Its own metaschemas are not replaced: the schema is registered under our own name.
      const unnamed = { ...schema };
      Reflect.deleteProperty(unnamed, '$id');
      Reflect.deleteProperty(unnamed, 'id');
      registerSchema(unnamed, uri, DIALECTS[draft]);
      try {
        const judge = await validate(uri);
        return (value) => judge(value).valid;
      } finally {
        unregisterSchema(uri);
      }
    },
  };
}
