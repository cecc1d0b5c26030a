/**
 * Process that compiles one hostile schema and validates one value repeatedly, and measures its
 * processor time.
 */
import { SchemaError } from '../../packages/core/src/errors/schema-error.ts';
import { compileJsonSchema } from '../../packages/core/src/schema/engine/compile-json-schema.ts';
import { HOSTILE, type Verdict } from '../../test/schema-suite/hostile-schemas.ts';

export interface HostileRequest {
  readonly name: string;
  readonly rounds: number;
}

export interface HostileReply {
  readonly verdict: Verdict;
  /**
   * Processor milliseconds of each round, user and system, of all threads. The first round is cold.
   */
  readonly cpuMs: readonly number[];
}

function reply({ name, rounds }: HostileRequest): HostileReply {
  const found = HOSTILE.find((one) => one.name === name);
  if (found === undefined) throw new Error(`There is no hostile schema \`${name}\`.`);
  const { schema, value } = found.make();
  let verdict = judge(true, 1);
  const cpuMs = Array.from({ length: rounds }, (_, round) => {
    globalThis.gc?.();
    // Its text differs in each round, so that nothing is cached.
    const distinct =
      typeof schema === 'object' && schema !== null ? { ...schema, $comment: `${round}` } : schema;
    const startedAt = process.cpuUsage();
    verdict = judge(distinct, value);
    const { user, system } = process.cpuUsage(startedAt);
    return (user + system) / 1000;
  });
  return { verdict, cpuMs };
}

function judge(schema: unknown, value: unknown): Verdict {
  try {
    // Hostile schemas are of any type.
    return compileJsonSchema(schema as boolean).validate(value).valid ? 'valid' : 'invalid';
  } catch (error) {
    if (SchemaError.isInstance(error)) return error.code;
    throw error;
  }
}

if (import.meta.main) {
  process.on('disconnect', () => process.exit());
  process.on('message', (request: HostileRequest) => process.send?.(reply(request)));
}
