/**
 * Tests of lowered schemas against the transforms of the official SDKs: a service refuses whatever
 * its SDK would still change.
 */
import { existsSync } from 'node:fs';
import { pathToFileURL, fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { lowerJsonSchema } from '../../packages/core/src/schema/dialects/lower-json-schema.ts';
import { toJsonSchema } from '../../packages/core/src/schema/to-json-schema.ts';

const FOLDER = fileURLToPath(new URL('node_modules/', import.meta.url));
/** OpenAI's SDK is also a client of our wire, so it is one of the workspace. */
const WORKSPACE = fileURLToPath(new URL('../../node_modules/', import.meta.url));
const isInstalled = existsSync(`${FOLDER}@anthropic-ai/sdk`) && existsSync(`${WORKSPACE}openai`);

const Tree = z.object({
  name: z.string(),
  get children() {
    return z.array(Tree).optional();
  },
});
const SCHEMAS: Readonly<Record<string, z.ZodType>> = {
  'a plain object': z.object({
    a: z.string().min(2),
    n: z.number().max(3),
    e: z.email(),
    d: z.iso.datetime(),
  }),
  'optional fields': z.object({
    a: z.string().optional(),
    b: z.object({ c: z.int() }).optional(),
    d: z.string().default('x'),
  }),
  'a map': z.object({ m: z.record(z.string(), z.union([z.string(), z.number()])) }),
  'an array at the root': z.array(z.tuple([z.string(), z.boolean()])),
  'a union at the root': z.discriminatedUnion('k', [
    z.object({ k: z.literal('a') }),
    z.object({ k: z.literal('b'), x: z.enum(['p', 'q']) }),
  ]),
  'an intersection': z.object({ i: z.intersection(z.object({ a: z.int() }), z.object({ b: z.unknown() })) }),
  'a recursive type': Tree,
};

async function load(path: string, name: string): Promise<(schema: unknown) => unknown> {
  const module: Record<string, (schema: unknown) => unknown> = await import(
    pathToFileURL(`${path.startsWith('openai/') ? WORKSPACE : FOLDER}${path}`).href
  );
  return module[name]!;
}

/** The Anthropic transform turns these into prose, although the service accepts them. */
function withoutFixed(value: unknown): unknown {
  const text = JSON.stringify(value, (key, part: unknown) =>
    key === 'enum' || key === 'const' ? undefined : part,
  );
  return JSON.parse(text);
}

if (process.env['CI'] === 'true') {
  it('the SDKs are installed', () => {
    expect(isInstalled).toBe(true);
  });
} else if (!isInstalled) process.stderr.write('skipped: the SDKs (run: npm ci --prefix test/agents)\n');

const title = isInstalled
  ? '%s'
  : '%s [skipped: the SDKs are not installed; run: npm ci --prefix test/agents]';

describe.skipIf(!isInstalled).each(Object.entries(SCHEMAS))(title, (_title, schema) => {
  it('lowered for openai is what openai-node would send', async () => {
    const transform = await load('openai/lib/transform.mjs', 'toStrictJsonSchema');
    const lowered = lowerJsonSchema(toJsonSchema(schema), 'openai').schema;
    expect(transform(lowered)).toEqual(lowered);
  });

  it('lowered for anthropic equals the output of its SDK, except for enum and const', async () => {
    const transform = await load('@anthropic-ai/sdk/lib/transform-json-schema.mjs', 'transformJSONSchema');
    const lowered = withoutFixed(lowerJsonSchema(toJsonSchema(schema), 'anthropic').schema);
    expect(transform(lowered)).toEqual(lowered);
  });
});
