/** Models with tools on each wire: which get an answer, after how many requests, and why others do not. */
import { describe, expect, it } from 'vitest';
import { Output } from '@truecast/core/internal/output/output';
import { StructuredOutputError } from '@truecast/core/internal/errors/structured-output-error';
import { scriptedModelServer } from '../../../testing/src/scripted-model/scripted-model-server.ts';
import { generate } from '../generate.ts';
import { MODELS } from '../test-models.ts';
import { matrixColumns } from '../../../../test/matrix.ts';
import { ANSWER, CASES, RIGHT_DEGREES, TOOLS, type ToolCase } from '../../../../test/answers/tool-cases.ts';

async function endOf({ script, maxSteps }: ToolCase, wire: string): Promise<string> {
  await using server = await scriptedModelServer({ script });
  const model = MODELS[wire]?.(server);
  if (model === undefined) throw new RangeError(wire);
  const ended = await generate({
    model,
    prompt: 'How cold is it in Oslo?',
    output: Output.object({ schema: ANSWER }),
    tools: TOOLS,
    ...(maxSteps !== undefined && { maxSteps }),
  }).catch((error: unknown) => error);
  if (StructuredOutputError.isInstance(ended)) return `${ended.reason} ${server.requests.length}`;
  expect(ended).toMatchObject({ output: RIGHT_DEGREES });
  return `ok ${server.requests.length}`;
}

const WIRES = Object.keys(MODELS);

describe.each(WIRES)('on the wire of %s', (wire) => {
  it.each(matrixColumns(WIRES.indexOf(wire), CASES, { rows: WIRES.length, stride: 2 }))(
    'a model that $title ends with `$ends`',
    async (each) => {
      expect(await endOf(each, wire)).toBe(each.ends);
    },
  );
});
