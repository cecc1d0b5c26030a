/**
 * Runs the schemas of one draft of the suite through `compileJsonSchema`, and counts the results.
 */
import { SchemaError } from '../../packages/core/src/errors/schema-error.ts';
import {
  compileJsonSchema,
  type JsonSchemaValidator,
} from '../../packages/core/src/schema/engine/compile-json-schema.ts';
import { needsRemote } from './needs-remote.ts';
import { readSuite, SUITE_DRAFTS, type SuiteGroup } from './suite-files.ts';

/** A failed case: a wrong verdict, or refused with a code. */
export interface SuiteMiss {
  readonly file: string;
  readonly group: string;
  readonly test: string;
  /** The suite's expected verdict. */
  readonly valid: boolean;
  /**
   * `wrong` for the opposite verdict, the code of a SchemaError, or `crashed` for any other error.
   */
  readonly outcome: string;
}

/** Results of a draft, in cases. */
export interface DraftReport {
  readonly draft: string;
  readonly passed: number;
  readonly failed: number;
  readonly refused: number;
  /** Skipped cases: their schemas need another document. */
  readonly remote: number;
  readonly misses: readonly SuiteMiss[];
}

/** Runs every case of a draft. */
export async function runDraft(
  folder: string,
  draft: string,
  includesOptional: boolean,
): Promise<DraftReport> {
  const known = SUITE_DRAFTS[draft];
  if (known === undefined) {
    throw new Error(`Expected a draft of ${Object.keys(SUITE_DRAFTS).join(', ')}, got \`${draft}\`.`);
  }
  const files = await readSuite(folder, known.folder, includesOptional);
  let total = 0;
  let remote = 0;
  const misses: SuiteMiss[] = [];
  for (const [file, groups] of files) {
    for (const group of groups) {
      if (needsRemote(group.schema)) remote += group.tests.length;
      else {
        total += group.tests.length;
        misses.push(...runGroup(file, group, known.declared));
      }
    }
  }
  const failed = misses.filter(({ outcome }) => outcome === 'wrong' || outcome === 'crashed').length;
  return { draft, passed: total - misses.length, failed, refused: misses.length - failed, remote, misses };
}

function runGroup(file: string, { description, schema, tests }: SuiteGroup, declared: string): SuiteMiss[] {
  const compile = attempt(() => compileJsonSchema(declare(schema, declared)));
  return tests.flatMap((test) => {
    const outcome =
      typeof compile === 'string' ? compile : attempt(() => judge(compile, test.data, test.valid));
    if (outcome === true) return [];
    return [
      {
        file,
        group: description,
        test: test.description,
        valid: test.valid,
        outcome: outcome === false ? 'wrong' : outcome,
      },
    ];
  });
}

function judge(validator: JsonSchemaValidator, data: unknown, valid: boolean): boolean {
  return validator.validate(data).valid === valid;
}

/** Older editions of the suite set the draft only by the folder. */
function declare(schema: SuiteGroup['schema'], declared: string): SuiteGroup['schema'] {
  return typeof schema === 'boolean' || Object.hasOwn(schema, '$schema')
    ? schema
    : { $schema: declared, ...schema };
}

function attempt<TResult>(work: () => TResult): TResult | string {
  try {
    return work();
  } catch (error) {
    return SchemaError.isInstance(error) ? error.code : 'crashed';
  }
}
