/** Check of a run's value against the schema of its request, before the run can succeed. Pure. */
import { SchemaError } from '@truecast/core/internal/errors/schema-error';
import { parseJson } from '@truecast/core/internal/json/parse-json';
import { compileJsonSchema } from '@truecast/core/internal/schema/engine/compile-json-schema';
import type { CreateAgentRunBody } from '@truecast/client/internal/wire/runs/agent-run';
import { CLIENT_SCHEMA_LIMITS } from '../format/schema-problems.ts';
import type { RunFailure } from './agent-executor.ts';

/** Returns the error of a success without a valid value, which is a defect of the executor. */
export function judgeValue(
  { response_format: format }: Pick<CreateAgentRunBody, 'response_format'>,
  valueText: string | undefined,
): RunFailure | undefined {
  if (format?.type !== 'json_schema') return valueText === undefined ? undefined : UNEXPECTED;
  const parsed = valueText === undefined ? undefined : parseJson(valueText);
  if (parsed?.success !== true) return INVALID;
  try {
    // The schema was compiled when the run was created.
    const validator = compileJsonSchema(format.json_schema.schema, CLIENT_SCHEMA_LIMITS);
    return validator.validate(parsed.value).valid ? undefined : INVALID;
  } catch (error) {
    if (SchemaError.isInstance(error)) return INVALID;
    throw error;
  }
}

const INVALID: RunFailure = {
  code: 'internal',
  reason: 'invalid_value',
  message:
    'The run ended with a value that its schema does not accept. Read `value_text`, and report the defect.',
};
const UNEXPECTED: RunFailure = {
  code: 'internal',
  reason: 'unexpected_value',
  message: 'The run ended with a value, and has no schema. Report the defect.',
};
