/** Form of a schema: fields of objects, for users who do not write JSON Schema. */
import type { ReactNode } from 'react';
import { asRecord, membersOf, parseSchema, type DescribedSchema } from '../json/describe-schema.ts';
import { FormField } from './form-field.tsx';
import { addField, changeAt, fieldsOf, type EditSchema, type EditPath } from './schema-edit.ts';

interface FormProps {
  readonly text: string;
  readonly onChange: (text: string) => void;
}

/** Renders the form. It edits the document that the editor shows. */
export function SchemaForm({ text, onChange }: FormProps): ReactNode {
  const root = parseSchema(text);
  const top = fieldsOf(root, []);
  if (top === undefined || top.path.length > 0) {
    return (
      <p className="rounded-sm border border-dashed border-line px-4 py-6 text-center text-muted">
        The form shows a schema whose root is an object. Change the text in the editor.
      </p>
    );
  }
  const edit: EditSchema = (path, change) => {
    onChange(JSON.stringify(changeAt(root, path, change), undefined, 2));
  };
  return <FieldGroup object={root} path={[]} edit={edit} label="Fields of the answer" />;
}

interface GroupProps {
  readonly object: DescribedSchema;
  readonly path: EditPath;
  readonly edit: EditSchema;
  readonly label: string;
}

function FieldGroup({ object, path, edit, label }: GroupProps): ReactNode {
  const members = membersOf({ ...object, properties: asRecord(object['properties']) ?? {} });
  return (
    <div role="group" aria-label={label} className="space-y-2">
      {members.map((member, index) => {
        const place = [...path, 'properties', member.name];
        const inner = fieldsOf(member.schema, place);
        return (
          // A renamed field stays the same field.
          <FormField key={index} member={member} siblings={members} object={path} path={place} edit={edit}>
            {inner !== undefined && (
              <FieldGroup
                object={inner.schema}
                path={inner.path}
                edit={edit}
                label={`Fields of ${member.name}`}
              />
            )}
          </FormField>
        );
      })}
      <button type="button" className="button" onClick={() => edit(path, addField)}>
        Add a field
      </button>
    </div>
  );
}
