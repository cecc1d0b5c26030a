/** Server routes: the models, and the dry run of a response format. */
import { memberText } from '@truecast/core/internal/json/text/member-text';
import { toZod } from '../../contract/to-zod.ts';
import { modelListView, type ModelView } from '@truecast/client/internal/wire/chat';
import { dryRunBody, dryRunView } from '@truecast/client/internal/wire/response-format';
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
    answer: { status: 200, description: 'The models', schema: toZod(modelListView) },
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
    body: toZod(dryRunBody),
    judgesFormat: false,
    answer: { status: 200, description: 'What was found', schema: toZod(dryRunView) },
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
