/** Schemas that reach a model service of unknown make from one route. */
import { z } from 'zod';
import { scriptedModelServer } from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { MODEL_ROUTES, type ModelRouteName } from './routes/model-routes.ts';

/** One property for each kind of trouble. */
export const TROUBLE: z.ZodType = z.strictObject({
  day: z.iso.date(),
  code: z.string().regex(/\d{3}\.\w+/u),
  short: z.string().regex(/^(?:ab|cd)$/u),
  kind: z.string().meta({ format: 'x-colour' }),
  tags: z
    .array(z.enum(['a', 'b']))
    .max(3)
    .meta({ uniqueItems: true }),
  note: z.string().max(3_000),
  step: z.number().min(0).max(2).multipleOf(0.5),
});

/** Schema with keywords, as it is sent. */
export type SentSchema = Readonly<Record<string, unknown>>;

/** First request with a schema: its properties, and the words beside it. */
export interface SentRequest {
  readonly properties: Readonly<Record<string, SentSchema>>;
  readonly words: string;
}

/** Asks once, and returns the properties of the first schema that the service got. */
export async function sentProperties(route: ModelRouteName): Promise<SentRequest['properties']> {
  return (await sentRequest(route)).properties;
}

/** Asks once, and returns the first request with a schema. */
export async function sentRequest(route: ModelRouteName): Promise<SentRequest> {
  await using server = await scriptedModelServer({ script: () => reply.text('No.') });
  await MODEL_ROUTES[route]({ serviceUrl: server.openaiUrl, schema: TROUBLE });
  const sent = server.turns.find(({ jsonSchema }) => jsonSchema !== undefined);
  return { properties: propertiesOf(sent?.jsonSchema), words: sent?.userText ?? '' };
}

const sentSchema = z.looseObject({ properties: z.record(z.string(), z.record(z.string(), z.unknown())) });
const wrapped = z.looseObject({ properties: z.looseObject({ output: sentSchema }) });

/** Properties of a schema, also of one that is wrapped. */
export function propertiesOf(sent: unknown): Readonly<Record<string, SentSchema>> {
  const inside = wrapped.safeParse(sent).data?.properties.output;
  return (inside ?? sentSchema.parse(sent)).properties;
}

/** True for a pattern that each of the tried engines reads. */
export function isPortable(pattern: unknown): boolean {
  if (typeof pattern !== 'string') return false;
  const outside = pattern.replaceAll(/\[(?:\\[xu]|[^\]\\])*\]/gu, '');
  return /^\^.*\$$/su.test(pattern) && !/\\|\(\?/u.test(outside);
}
