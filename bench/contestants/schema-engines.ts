/** Validators of the schema bench behind one interface. */
import { compileJsonSchema } from '../../packages/core/src/schema/engine/compile-json-schema.ts';
import { loadPeer } from '../harness/load-peer.ts';

export interface SchemaEngine {
  readonly name: string;
  /** True if every compile gets the same schema, so that a cache answers. */
  readonly isCached?: boolean;
  /**
   * Compiles. The returned function returns the number of issues that it found, 0 for a valid
   * value.
   */
  compile(schema: Record<string, unknown>): (value: unknown) => number;
}

interface AjvModule {
  readonly Ajv2020: new (options: Record<string, unknown>) => {
    compile(schema: object): ((value: unknown) => boolean) & { readonly errors?: readonly unknown[] | null };
    removeSchema(schema: object): void;
  };
}
interface TypeBoxModule {
  readonly Compile: (schema: object) => {
    Check(value: unknown): boolean;
    Errors(value: unknown): [boolean, readonly unknown[]];
  };
}
interface CfworkerModule {
  readonly Validator: new (
    schema: object,
    draft: string,
    shortCircuit: boolean,
  ) => {
    validate(value: unknown): { readonly valid: boolean; readonly errors: readonly unknown[] };
  };
}
interface ZodModule {
  readonly fromJSONSchema: (schema: object) => {
    safeParse(value: unknown): { readonly error?: { readonly issues: readonly unknown[] } };
  };
}

const ours: SchemaEngine = {
  name: 'truecast',
  compile: (schema) => {
    const compiled = compileJsonSchema(schema);
    return (value) => {
      const result = compiled.validate(value);
      return result.valid ? 0 : result.issues.length;
    };
  },
};

/** All engines, ours first. Each reports all issues of an invalid value. */
export async function loadSchemaEngines(): Promise<readonly SchemaEngine[]> {
  const peers = await Promise.all([loadAjv(), loadTypeBox(), loadCfworker(), loadZod()]);
  return [ours, { ...ours, name: 'truecast, cached', isCached: true }, ...peers];
}

async function loadAjv(): Promise<SchemaEngine> {
  const { Ajv2020 } = await loadPeer<AjvModule>('ajv/dist/2020.js');
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  return {
    name: 'ajv 8',
    compile: (schema) => {
      const validate = ajv.compile(schema);
      ajv.removeSchema(schema);
      return (value) => (validate(value) ? 0 : (validate.errors?.length ?? 0));
    },
  };
}

async function loadTypeBox(): Promise<SchemaEngine> {
  const { Compile } = await loadPeer<TypeBoxModule>('typebox/schema');
  return {
    name: 'typebox 1.4',
    compile: (schema) => {
      const compiled = Compile(schema);
      return (value) => (compiled.Check(value) ? 0 : compiled.Errors(value)[1].length);
    },
  };
}

async function loadCfworker(): Promise<SchemaEngine> {
  const { Validator } = await loadPeer<CfworkerModule>('@cfworker/json-schema');
  return {
    name: '@cfworker/json-schema',
    compile: (schema) => {
      const validator = new Validator(schema, '2020-12', false);
      return (value) => {
        const { valid, errors } = validator.validate(value);
        return valid ? 0 : errors.length;
      };
    },
  };
}

async function loadZod(): Promise<SchemaEngine> {
  const { fromJSONSchema } = await loadPeer<ZodModule>('zod');
  return {
    name: 'zod 4 fromJSONSchema',
    compile: (schema) => {
      const compiled = fromJSONSchema(schema);
      return (value) => compiled.safeParse(value).error?.issues.length ?? 0;
    },
  };
}
