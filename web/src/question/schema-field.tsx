/** Field for the schema of an answer: one line that describes it, and the editor on request. */
import { lazy, Suspense, type ReactNode } from 'react';
import { Skeleton } from '../parts/page.tsx';
import type { SchemaReport } from '../schema/schema-report.ts';
import {
  describeShape,
  describeType,
  membersOf,
  parseSchema,
  resolveSchema,
} from '../json/describe-schema.ts';
import { Icon } from '../parts/icon.tsx';
import type { Question } from './question.ts';

const SchemaEditing = lazy(() =>
  import('./schema-editing.tsx').then(({ SchemaEditing: editing }) => ({ default: editing })),
);

export interface SchemaFieldProps {
  readonly question: Question;
  readonly report: SchemaReport | undefined;
  readonly isEditing: boolean;
  readonly onEdit: (isEditing: boolean) => void;
  readonly onChange: (question: Question) => void;
}

export function SchemaField(props: SchemaFieldProps): ReactNode {
  const { question, isEditing, onEdit } = props;
  return (
    <div className="mt-4">
      <div className="mb-1.5 flex flex-wrap items-baseline justify-between gap-x-4">
        <span className="font-medium">
          Answer <span className="font-normal text-muted">{question.name}</span>
        </span>
        <button
          type="button"
          aria-expanded={isEditing}
          className="min-h-8 text-accent-ink underline @max-2xl:min-h-11"
          onClick={() => onEdit(!isEditing)}
        >
          {isEditing ? 'Done' : 'Edit schema'}
        </button>
      </div>
      {isEditing ? (
        <Suspense fallback={<Skeleton />}>
          <SchemaEditing {...props} />
        </Suspense>
      ) : (
        <Shape schemaText={question.schemaText} />
      )}
    </div>
  );
}

/** Renders the members as small cards, or the shape of a schema without members. */
function Shape({ schemaText }: { readonly schemaText: string }): ReactNode {
  const schema = parseSchema(schemaText);
  const members = membersOf(resolveSchema(schema, schema));
  return (
    <div className="flex flex-wrap items-center gap-2 rounded-lg border border-line bg-well px-3 py-2">
      <Icon name="braces" className="size-4 text-accent-ink" />
      {members.length === 0 && <code className="break-words">{describeShape(schema)}</code>}
      {members.map(({ name, schema: member, isRequired }) => (
        <span
          key={name}
          className="max-w-full rounded-md border border-line bg-raised px-2 py-0.5 text-xs break-words text-muted"
        >
          <code className="font-semibold text-ink">{name}</code>
          {!isRequired && '?'} {describeType(member, schema)}
        </span>
      ))}
    </div>
  );
}
