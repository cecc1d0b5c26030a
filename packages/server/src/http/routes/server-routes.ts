/** Server routes: the models, and the dry run of a response format. */
import { memberText } from '@truecast/core/internal/schema/json-text/member-text';
import { modelListViewSchema, type ModelView } from '../../contract/wire/chat-wire.ts';
import { dryRunBodySchema, dryRunViewSchema } from '../../contract/wire/format-wire.ts';
import { DIALECT_NAMES } from '../../contract/wire-codes.ts';
import { dryRunFormat } from '../../format/dry-run.ts';
import { defineRoute, type HttpRoute } from '../route.ts';
import type { ServerModels } from '../server-parts.ts';

/** The routes, in documentation order. */
export const SERVER_ROUTES: readonly HttpRoute[] = [
  defineRoute({
    method: 'get',
    path: '/api/models',
    operationId: 'listModels',
    summary: 'List the models that chats can run on',
    answer: { status: 200, description: 'The models', schema: modelListViewSchema },
    async handle({ parts: { models } }) {
      return { status: 200, body: { models: models.list().map((id) => toModelView(models, id)) } };
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

function toModelView(models: ServerModels, id: string): ModelView {
  const { provider, isScripted, mode, dialect, contextTokens } = models.facts(id);
  return {
    id,
    is_default: id === models.default,
    provider,
    is_scripted: isScripted,
    ...(mode !== undefined && { mode }),
    dialect: DIALECT_NAMES[dialect],
    ...(contextTokens !== undefined && { context_tokens: contextTokens }),
  };
}
