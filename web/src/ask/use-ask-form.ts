/**
 * State of the Ask page: the kept draft, a copied question, and the problems that prevent sending.
 */
import { useEffect, useState } from 'react';
import type { ModelView } from '@truecast/client';
import { useSchemaReport, type SchemaReport } from '../schema/schema-report.ts';
import type { ReadType } from '../typescript/type-input.tsx';
import { schemaProblem, type Question } from '../question/question.ts';
import {
  filesProblem,
  type AttachedFile,
  keepDraft,
  problemsOf,
  readDraft,
  type AskDraft,
  type DraftProblems,
} from './ask-draft.ts';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { requestDetailView } from '@truecast/client/internal/wire/request';
import { turnText } from '../chat/transcript/turns.ts';
import { useSession } from '../session/session.tsx';
import { useClient } from '../session/use-client.ts';
import { indentJson } from '../json/indent-json.ts';
import { isFilled, variablesOf } from './variables.ts';

export interface AskForm {
  readonly draft: AskDraft;
  readonly change: (changes: Partial<AskDraft>) => void;
  /** Files of the question. They are not kept. */
  readonly files: readonly AttachedFile[];
  readonly attach: (files: readonly AttachedFile[]) => void;
  readonly report: SchemaReport | undefined;
  readonly problems: DraftProblems;
  /** Called after each change of a type. Undefined for an incomplete one, which prevents sending. */
  readonly readType: (read: ReadType | undefined) => void;
  /** False if the server would reject the question. */
  readonly isComplete: boolean;
}

/**
 * Reads the kept draft. A copied question replaces it once, so that later changes of the draft are
 * kept. A model that the server no longer has becomes the default one.
 */
export function useAskForm(
  from: string,
  copied: CopiedQuestion | undefined,
  models: readonly ModelView[] | undefined,
): AskForm {
  const [draft, setDraft] = useState(readDraft);
  const [files, attach] = useState<readonly AttachedFile[]>([]);
  const [isTypeOpen, setTypeOpen] = useState(false);
  const change = (changes: Partial<AskDraft>): void => {
    const changed = { ...draft, ...changes };
    setDraft(changed);
    keepDraft(changed);
  };
  useEffect(() => {
    if (copied === undefined || models === undefined || draft.from === from) return;
    const model = models.find(({ id }) => id === copied.model)?.id ?? '';
    change({ ...copied, model, plan: '', title: '', from, kept: '', values: '' });
    // Only another request replaces the draft.
  }, [copied, from, models]);
  const { message, name, schemaText, plan } = draft;
  const isPlan = plan !== '';
  const report = useSchemaReport(name, schemaText, !isPlan);
  const tooLarge = filesProblem(files);
  const problems = { ...problemsOf(draft), ...(tooLarge !== undefined && { files: tooLarge }) };
  const isSchema =
    schemaProblem(schemaText) === undefined && !report?.marks.some(({ isProblem }) => isProblem);
  return {
    draft,
    change,
    files,
    attach,
    report,
    problems,
    readType: (read) => {
      setTypeOpen(read === undefined);
      if (read !== undefined) change(read);
    },
    isComplete:
      !isTypeOpen &&
      message.trim() !== '' &&
      variablesOf(draft).every(isFilled) &&
      (isPlan || isSchema) &&
      Object.keys(problems).length === 0,
  };
}

/** A question and the model that answered it. */
interface CopiedQuestion extends Question {
  readonly model: string | undefined;
}

/** Reads the question of a request. Without an id, nothing is read. */
export function useCopiedQuestion(requestId: string): UseQueryResult<CopiedQuestion> {
  const client = useClient();
  const { call } = useSession();
  return useQuery({
    queryKey: ['question', requestId],
    enabled: requestId !== '',
    queryFn: async ({ signal }) => {
      const path = `/api/requests/${encodeURIComponent(requestId)}`;
      const { request } = await call({ method: 'GET', path, shape: requestDetailView, signal });
      const { chat_id: id, message_id: messageId = 1, model } = request;
      const page = await client.chat({ id }).messages({ after: messageId - 1, limit: 1, signal });
      const [message] = page.messages;
      const format = message?.content.find((part) => part.type === 'response_format');
      return {
        message: message === undefined ? '' : turnText(message),
        name: format?.name ?? '',
        schemaText: indentJson(format?.schema_text ?? '{}'),
        model,
      };
    },
  });
}
