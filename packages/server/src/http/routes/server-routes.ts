/** Server routes: the models, and the dry run of a response format. */
import { memberText } from '@truecast/core/internal/schema/json-text/member-text';
import { modelListViewSchema } from '../../contract/wire/chat-wire.ts';
import { dryRunBodySchema, dryRunViewSchema } from '../../contract/wire/format-wire.ts';
import { dryRunFormat } from '../../format/dry-run.ts';
import { defineRoute, type HttpRoute } from '../route.ts';

/** The routes, in documentation order. */
export const SERVER_ROUTES: readonly HttpRoute[] = [
  defineRoute({
    method: 'get',
    path: '/api/models',
    operationId: 'listModels',
    summary: 'List the models that chats can run on',
    answer: { status: 200, description: 'The models', schema: modelListViewSchema },
    async handle({ parts: { models } }) {
      const list = models.list().map((id) => ({ id, is_default: id === models.default }));
      return { status: 200, body: { models: list } };
    },
  }),
  defineRoute<{ readonly response_format?: unknown }>({
    method: 'post',
    path: '/api/response_formats/validate',
    operationId: 'validateFormat',
    summary:
      'Report all problems of a response format, and the rules that each provider cannot enforce; runs nothing',
    body: dryRunBodySchema,
    judgesFormat: false,
    answer: { status: 200, description: 'What was found', schema: dryRunViewSchema },
    async handle({ body }) {
      return { status: 200, body: await dryRunFormat(memberText(body.text, ['response_format'])) };
    },
  }),
];
