/** One field of a schema's form: its name, kind, rules, description, and whether it is required. */
import type { ReactNode } from 'react';
import { describeType, itemsOf, type Member, type DescribedSchema } from '../json/describe-schema.ts';
import { FieldRules, LocalInput } from './field-rules.tsx';
import {
  hiddenKeywords,
  fieldKindOf,
  removeField,
  renameField,
  requireField,
  withKeyword,
  withKind,
  type FieldKind,
  type EditSchema,
  type EditPath,
} from './schema-edit.ts';

interface FieldProps {
  readonly member: Member;
  readonly siblings: readonly Member[];
  /** Place of the object that has the field. */
  readonly object: EditPath;
  /** Place of the field's schema. */
  readonly path: EditPath;
  readonly edit: EditSchema;
  /** Fields within the field. */
  readonly children: ReactNode;
}

export function FormField({ member, siblings, object, path, edit, children }: FieldProps): ReactNode {
  const { name, schema, isRequired } = member;
  const nameProblem = (text: string): string | undefined => {
    if (text === '') return 'A field needs a name.';
    const isTaken = text !== name && siblings.some((each) => each.name === text);
    return isTaken ? `Another field has the name ${text}.` : undefined;
  };
  const { description } = schema;
  return (
    <div className="rounded-sm border border-line bg-page p-3">
      <div className="flex flex-wrap items-start gap-2">
        <LocalInput
          className="min-w-32 flex-1 font-mono text-code"
          label={`Name of the field ${name}`}
          value={name}
          problemOf={nameProblem}
          onCommit={(to) => edit(object, (each) => renameField(each, name, to))}
        />
        <KindFields schema={schema} path={path} edit={edit} name={name} />
        <label className="flex min-h-9 items-center gap-1.5 text-sm @max-2xl:min-h-11">
          <input
            type="checkbox"
            checked={isRequired}
            aria-label={`${name} is required`}
            onChange={({ target }) => edit(object, (each) => requireField(each, name, target.checked))}
          />
          required
        </label>
        <button
          type="button"
          className="button button-quiet ml-auto px-2"
          aria-label={`Remove the field ${name}`}
          onClick={() => edit(object, (each) => removeField(each, name))}
        >
          <span aria-hidden="true">×</span>
        </button>
      </div>
      <div className="mt-2 flex flex-wrap items-start gap-2">
        <input
          className="field w-auto min-w-64 flex-1 @max-2xl:basis-full"
          aria-label={`Description of ${name}`}
          placeholder="Description, shown to the model"
          value={typeof description === 'string' ? description : ''}
          onChange={({ target }) =>
            edit(path, (each) => withKeyword(each, 'description', target.value || undefined))
          }
        />
        <RuleFields schema={schema} path={path} edit={edit} name={name} />
      </div>
      {children !== false && <div className="mt-3 border-l-2 border-line pl-3">{children}</div>}
    </div>
  );
}

const KINDS: readonly (readonly [FieldKind, string])[] = [
  ['text', 'text'],
  ['choice', 'one of'],
  ['integer', 'whole number'],
  ['number', 'number'],
  ['boolean', 'yes or no'],
  ['list', 'list of'],
  ['object', 'object'],
];

interface KindProps {
  readonly schema: DescribedSchema;
  readonly path: EditPath;
  readonly edit: EditSchema;
  readonly name: string;
}

/** Kind of a schema, and of the items of a list. */
function KindFields({ schema, path, edit, name }: KindProps): ReactNode {
  const kind = fieldKindOf(schema);
  return (
    <>
      <select
        className="field w-auto"
        aria-label={`Type of ${name}`}
        value={kind}
        onChange={({ target }) => {
          const chosen = KINDS.find(([each]) => each === target.value)?.[0];
          if (chosen !== undefined) edit(path, (each) => withKind(each, chosen));
        }}
      >
        {KINDS.map(([each, text]) => (
          <option key={each} value={each}>
            {text}
          </option>
        ))}
        {kind === 'other' && <option value="other">{describeType(schema)}</option>}
      </select>
      {kind === 'list' && <KindFields {...itemsField({ schema, path, edit, name })} />}
    </>
  );
}

/** Rules of a schema, and of the items of a list. */
function RuleFields({ schema, path, edit, name }: KindProps): ReactNode {
  const kind = fieldKindOf(schema);
  const hidden = hiddenKeywords(schema);
  return (
    <>
      <FieldRules schema={schema} path={path} edit={edit} name={name} />
      {kind === 'list' && <RuleFields {...itemsField({ schema, path, edit, name })} />}
      {hidden.length > 0 && (
        <span className="flex min-h-9 items-center text-sm break-all text-muted">
          {`in the editor: ${hidden.join(', ')}`}
        </span>
      )}
    </>
  );
}

function itemsField({ schema, path, edit, name }: KindProps): KindProps {
  return { schema: itemsOf(schema), path: [...path, 'items'], edit, name: `an item of ${name}` };
}
