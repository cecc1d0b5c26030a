/**
 * Validator of tool results for the MCP client. The schema and the result come from an untrusted
 * server. The SDK's default compiles the schema to code, and its patterns can backtrack for hours.
 */
import type { jsonSchemaValidator, JsonSchemaValidatorResult } from '@modelcontextprotocol/client';
import { compileJsonSchema } from '@truecast/core/internal/schema/engine/compile-json-schema';
import { showPath } from '@truecast/core/internal/json/show-path';

/** Compiles a schema when the first result arrives, so that a refused schema fails that call only. */
export const boundedValidator: jsonSchemaValidator = {
  getValidator:
    <TResult>(schema: object) =>
    (input: unknown): JsonSchemaValidatorResult<TResult> => {
      const result = compileJsonSchema({ ...schema }).validate(input);
      // The SDK's type: a valid input has the type of the schema.
      if (result.valid) return { valid: true, data: input as TResult, errorMessage: undefined };
      const issues = result.issues.map(({ path, message }) => `${showPath(path)}: ${message}`);
      return { valid: false, data: undefined, errorMessage: issues.join('; ') };
    },
};
