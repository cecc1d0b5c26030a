/** Ask page: a question, a schema, and the report of each provider about it. */
import { useState, type ReactNode } from 'react';
import { useSearchParams } from 'wouter';
import type { ModelView } from '@truecast/client';
import { Page, ProblemBox } from '../parts/page.tsx';
import { CodePanel } from '../question/code-panel.tsx';
import { QuestionFrame } from '../question/question-frame.tsx';
import { InferDialog } from '../schema/infer-dialog.tsx';
import { ProviderReport } from '../schema/provider-report.tsx';
import { SchemaTabs } from '../schema/schema-tabs.tsx';
import { useModels } from '../session/use-models.ts';
import { askedOf } from './ask-draft.ts';
import { AskSettings } from './ask-settings.tsx';
import { useCopiedQuestion, useAskForm, type AskForm } from './use-ask-form.ts';
import { FormInput } from './form-input.tsx';
import { LibraryButton } from './question-library.tsx';
import { RecentSchemas } from './recent-schemas.tsx';
import { VariableFields } from './variable-fields.tsx';

/** Renders the page. With `from` in the address, it begins with the question of that request. */
export function AskPage(): ReactNode {
  const [parameters] = useSearchParams();
  const from = parameters.get('from') ?? '';
  const copied = useCopiedQuestion(from);
  const listed = useModels();
  const form = useAskForm(from, copied.data, listed);
  const { draft, change, files, report } = form;
  const [isInferring, setInferring] = useState(false);
  const models = listed ?? [];
  const model = draft.model || models.find(({ is_default }) => is_default)?.id;
  return (
    <Page
      isWide
      title="Ask"
      actions={
        <LibraryButton
          question={draft}
          onUse={(kept) => change({ ...kept, kept: 'yes', values: '' })}
          onKeep={() => change({ kept: 'yes' })}
        />
      }
    >
      {copied.error !== null && (
        <div className="mb-4">
          <ProblemBox error={copied.error} onRetry={() => void copied.refetch()} />
        </div>
      )}
      <div className="grid gap-6 @4xl:grid-cols-[minmax(0,1fr)_minmax(320px,400px)] @4xl:gap-8">
        <div className="min-w-0 @max-4xl:contents">
          <QuestionForm form={form} models={models} onInfer={() => setInferring(true)} />
          <div className="min-w-0 @max-4xl:order-last">
            <CodePanel question={askedOf(draft, files)} />
          </div>
        </div>
        <div className="min-w-0 @4xl:sticky @4xl:top-19 @4xl:self-start">
          {draft.plan === '' && (
            <>
              <ProviderReport
                dialects={report?.dialects ?? []}
                selected={models.find(({ id }) => id === model)?.dialect}
              />
              {report?.dialects.length === 0 && (
                <p className="rounded-md border border-dashed border-line px-4 py-6 text-muted">
                  The schema has a problem. What each provider enforces appears here once it is fixed.
                </p>
              )}
            </>
          )}
        </div>
      </div>
      {isInferring && (
        <InferDialog onClose={() => setInferring(false)} onInfer={(schemaText) => change({ schemaText })} />
      )}
    </Page>
  );
}

interface AnswerProps {
  readonly form: AskForm;
  readonly onInfer: () => void;
}

interface FormProps extends AnswerProps {
  readonly models: readonly ModelView[];
}

function QuestionForm({ form, models, onInfer }: FormProps): ReactNode {
  const { draft, change, files, isComplete } = form;
  return (
    <QuestionFrame question={askedOf(draft, files)} isComplete={isComplete}>
      <AskHead draft={draft} change={change} models={models} />
      <FormInput
        id="question"
        label="Question"
        rows={4}
        value={draft.message}
        onChange={(message) => change({ message })}
      />
      <VariableFields draft={draft} change={change} />
      {draft.plan === '' && <Answer form={form} onInfer={onInfer} />}
      <AskSettings {...form} />
    </QuestionFrame>
  );
}

/** Name and schema of the answer. */
function Answer({ form, onInfer }: AnswerProps): ReactNode {
  const { draft, change, report, problems, readType } = form;
  return (
    <>
      <div className="mt-4 flex flex-wrap items-end gap-3">
        <div className="min-w-40 flex-1">
          <FormInput
            id="answer-name"
            label="Name of the answer"
            value={draft.name}
            problem={problems.name}
            onChange={(name) => change({ name })}
          />
        </div>
        <RecentSchemas onChoose={change} />
      </div>
      <SchemaTabs
        name={draft.name}
        text={draft.schemaText}
        marks={report?.marks ?? []}
        onChange={(schemaText) => change({ schemaText })}
        onType={readType}
        onInfer={onInfer}
      />
    </>
  );
}

interface HeadProps extends Pick<AskForm, 'draft' | 'change'> {
  readonly models: readonly ModelView[];
}

/** Renders both fields. A model that the server no longer has is shown too. */
function AskHead({ draft: { model, title }, change, models }: HeadProps): ReactNode {
  const usual = models.find(({ is_default }) => is_default)?.id;
  const ids = models.map(({ id }) => id);
  const listed = model === '' || ids.includes(model) ? ids : [model, ...ids];
  return (
    <div className="mb-4 grid gap-3 @2xl:grid-cols-2">
      <div className="min-w-0">
        <label className="label" htmlFor="model">
          Model
        </label>
        <select
          id="model"
          className="field"
          value={model}
          onChange={({ target }) => change({ model: target.value })}
        >
          <option value="">{usual === undefined ? 'Default' : `Default: ${usual}`}</option>
          {listed.map((id) => (
            <option key={id} value={id}>
              {id}
            </option>
          ))}
        </select>
      </div>
      <FormInput
        id="title"
        label="Title"
        placeholder="First line of the question"
        value={title}
        onChange={(value) => change({ title: value })}
      />
    </div>
  );
}
