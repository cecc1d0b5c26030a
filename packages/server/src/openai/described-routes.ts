/** Descriptions of the OpenAI-compatible routes for the OpenAPI document. Pure. */
import { z } from 'zod';

export interface DescribedWireRoute {
  readonly method: 'get' | 'post';
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly body?: z.ZodType;
  readonly answer: { readonly status: 200; readonly description: string; readonly schema: z.ZodType };
  /** Answers with `stream: true` are server-sent events. */
  readonly canStream?: boolean;
  readonly refusal: z.ZodType;
}

/**
 * Further members are those of OpenAI's API: accepted, ignored or rejected as the wire's
 * documentation page lists.
 */
const open = z.looseObject;
const model = z.string().min(1);
const stream = z.boolean().nullish();

const refusal = z
  .strictObject({
    error: z.looseObject({
      message: z.string(),
      type: z.string(),
      param: z.string().nullable(),
      code: z.string(),
    }),
  })
  .meta({ ref: 'OpenAIError' });

const oneModel = open({ id: z.string(), object: z.literal('model'), owned_by: z.string() }).meta({
  ref: 'OpenAIModel',
});

const about = 'A compatible answer';

/** The routes, in documentation order. */
export const OPENAI_ROUTES: readonly DescribedWireRoute[] = [
  {
    method: 'post',
    path: '/v1/chat/completions',
    operationId: 'createChatCompletion',
    summary: 'Answer a conversation as the Chat Completions API; a response_format is validated',
    body: open({ model, messages: z.array(open({ role: z.string() })).min(1), stream }).meta({
      ref: 'ChatCompletionRequest',
    }),
    answer: {
      status: 200,
      description: about,
      schema: open({
        id: z.string(),
        object: z.string(),
        model: z.string(),
        choices: z.array(open({})),
      }).meta({ ref: 'ChatCompletion' }),
    },
    canStream: true,
    refusal,
  },
  {
    method: 'post',
    path: '/v1/responses',
    operationId: 'createResponse',
    summary: 'Answer a conversation as the Responses API; a text format is validated',
    body: open({ model, input: z.union([z.string(), z.array(open({}))]), stream }).meta({
      ref: 'ResponseRequest',
    }),
    answer: {
      status: 200,
      description: about,
      schema: open({
        id: z.string(),
        object: z.string(),
        model: z.string(),
        output: z.array(open({})),
      }).meta({ ref: 'Response' }),
    },
    canStream: true,
    refusal,
  },
  {
    method: 'get',
    path: '/v1/models',
    operationId: 'listOpenAIModels',
    summary: 'List models and coding agents as the OpenAI API',
    answer: {
      status: 200,
      description: 'All models',
      schema: z.strictObject({ object: z.literal('list'), data: z.array(oneModel) }).meta({
        ref: 'OpenAIModelList',
      }),
    },
    refusal,
  },
  {
    method: 'get',
    path: '/v1/models/:model',
    operationId: 'readOpenAIModel',
    summary: 'Read a model or coding agent as the OpenAI API',
    answer: { status: 200, description: 'The model', schema: oneModel },
    refusal,
  },
];
