/** One operation of the reference: purpose, fields, responses and problems, next to its samples. */
import type { ReactNode } from 'react';
import { CodeText, TextPanel } from '../parts/code/text-panel.tsx';
import { Folded } from '../parts/folded.tsx';
import { CodeTabs } from '../parts/code/code-tabs.tsx';
import type { DescribedSchema } from '../json/describe-schema.ts';
import { FieldHead } from './field-tree.tsx';
import { FieldTree } from './field-tree.tsx';
import type { Content, Operation, Parameter } from './openapi.ts';
import { requestSamples } from './request-samples.ts';
import { referenceOf } from './schema-names.ts';
import { TryIt } from './try-it.tsx';

interface SectionProps {
  readonly operation: Operation;
  readonly root: DescribedSchema;
}

/** Renders the operation. Its id is the anchor. */
export function OperationSection({ operation, root }: SectionProps): ReactNode {
  const { id, method, path, summary, description, parameters, body, answer } = operation;
  return (
    <section
      id={id}
      aria-label={`${method} ${path}`}
      className="grid scroll-mt-19 gap-x-10 gap-y-6 border-t border-line pt-6 @5xl:grid-cols-[minmax(0,1fr)_minmax(0,480px)]"
    >
      <div className="min-w-0">
        <h2 className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <span className="rounded-sm bg-accent-soft px-1.5 py-0.5 text-sm font-semibold text-accent-ink">
            {method}
          </span>
          <code className="font-semibold break-all">{path}</code>
          <a className="text-muted hover:text-accent-ink" href={`#${id}`} aria-label={`Link to ${id}`}>
            #
          </a>
        </h2>
        <p className="mt-3 max-w-[68ch] font-medium">
          <CodeText text={`${summary}.`} />
        </p>
        <p className="mt-1 max-w-[68ch] text-muted">
          <CodeText text={description} />
        </p>
        {parameters.length > 0 && <Parameters parameters={parameters} root={root} />}
        {body !== undefined && <Fields title="Body" content={body} root={root} isOpen />}
        {answer.content === undefined ? (
          <h3 className="mt-6 font-semibold">
            {answer.status}{' '}
            <span className="font-normal text-muted">{answer.description}, without content</span>
          </h3>
        ) : (
          <Fields title={`${answer.status} ${answer.description}`} content={answer.content} root={root} />
        )}
        <Problems operation={operation} />
      </div>
      <div className="min-w-0 space-y-4 @5xl:sticky @5xl:top-19 @5xl:self-start">
        <CodeTabs title="Request" samples={requestSamples(operation, location.origin)} />
        <Example content={answer.content} />
        <TryIt operation={operation} />
      </div>
    </section>
  );
}

interface ParametersProps {
  readonly parameters: readonly Parameter[];
  readonly root: DescribedSchema;
}

function Parameters({ parameters, root }: ParametersProps): ReactNode {
  return (
    <>
      <h3 className="mt-6 mb-1 font-semibold">Parameters</h3>
      <ul className="divide-y divide-line">
        {parameters.map(({ name, place, isRequired, description, schema }) => (
          <li key={`${place} ${name}`} className="py-1.5">
            <FieldHead name={name} place={place} schema={schema} root={root} isRequired={isRequired} />
            {description !== '' && <p className="text-sm text-muted">{description}</p>}
          </li>
        ))}
      </ul>
    </>
  );
}

interface FieldsProps {
  readonly title: string;
  readonly content: Content;
  readonly root: DescribedSchema;
  readonly isOpen?: boolean;
}

function Fields({ title, content: { mediaType, schema }, root, isOpen = false }: FieldsProps): ReactNode {
  const name = referenceOf(schema);
  const summary = (
    <summary>
      <h3 className="inline font-semibold">{title}</h3>{' '}
      <span className="text-sm text-muted">
        {name === undefined ? '' : `${name}, `}
        {mediaType}
      </span>
    </summary>
  );
  return (
    <Folded className="mt-6" isOpen={isOpen} summary={summary}>
      <FieldTree schema={schema} root={root} above={name === undefined ? [] : [name]} />
    </Folded>
  );
}

function Problems({ operation: { problems } }: { readonly operation: Operation }): ReactNode {
  if (problems.length === 0) return null;
  const summary = (
    <summary>
      <h3 className="inline font-semibold">Problems</h3>{' '}
      <span className="text-sm text-muted">{problems.length} codes, application/problem+json</span>
    </summary>
  );
  return (
    <Folded className="mt-6" summary={summary}>
      <ul className="divide-y divide-line">
        {problems.map(({ code, status, remedy }) => (
          <li
            key={code}
            className="gap-x-3 py-1.5 @2xl:grid @2xl:grid-cols-[40px_minmax(0,200px)_minmax(0,1fr)]"
          >
            <span className="text-muted">{status}</span> <code className="break-words">{code}</code>
            <p className="text-muted">
              <CodeText text={remedy} />
            </p>
          </li>
        ))}
      </ul>
    </Folded>
  );
}

function Example({ content }: { readonly content: Content | undefined }): ReactNode {
  if (content?.example === undefined) return null;
  const { example } = content;
  return (
    <details>
      <summary className="font-semibold">Response</summary>
      <div className="mt-2">
        <TextPanel
          text={typeof example === 'string' ? example : JSON.stringify(example, undefined, 2)}
          label="Example of a response"
        />
      </div>
    </details>
  );
}
