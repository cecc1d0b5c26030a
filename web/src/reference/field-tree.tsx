/**
 * Tree of the fields of a schema. References expand in place. A recursive reference is shown as a
 * name only.
 */
import type { ReactNode } from 'react';
import { itemsOf, membersOf, resolveSchema, type DescribedSchema } from '../json/describe-schema.ts';
import { Folded } from '../parts/folded.tsx';
import { referenceOf, typeName, variantsOf, boundsText } from './schema-names.ts';

interface TreeProps {
  readonly schema: DescribedSchema;
  readonly root: DescribedSchema;
  /** References above this node. */
  readonly above?: readonly string[];
}

const NONE: readonly string[] = [];

/** Renders the fields, or the alternatives of a union. */
export function FieldTree({ schema, root, above = NONE }: TreeProps): ReactNode {
  const node = inner(schema, root);
  const variants = variantsOf(node);
  if (variants.length > 0) {
    return variants.map((variant, index) => (
      // Alternatives have no identity except their order.
      <Variant key={index} schema={variant} root={root} above={above} />
    ));
  }
  return (
    <ul className="divide-y divide-line">
      {membersOf(node).map(({ name, schema: member, isRequired }) => (
        <Field key={name} name={name} schema={member} root={root} above={above} isRequired={isRequired} />
      ))}
    </ul>
  );
}

/** Returns the schema of a list's items, which represent the list. */
function inner(schema: DescribedSchema, root: DescribedSchema): DescribedSchema {
  const node = resolveSchema(schema, root);
  return node['type'] === 'array' ? resolveSchema(itemsOf(node), root) : node;
}

function namesOf(schema: DescribedSchema, root: DescribedSchema): readonly string[] {
  const node = resolveSchema(schema, root);
  return [referenceOf(schema), node['type'] === 'array' ? referenceOf(itemsOf(node)) : undefined].filter(
    (name) => name !== undefined,
  );
}

interface FieldProps extends TreeProps {
  readonly name: string;
  readonly isRequired: boolean;
}

function Field({ name, schema, root, above = NONE, isRequired }: FieldProps): ReactNode {
  const node = inner(schema, root);
  const names = namesOf(schema, root);
  const isRecursive = names.some((each) => above.includes(each));
  const isDeep = !isRecursive && (membersOf(node).length > 0 || hasFields(node, root));
  const description = node['description'];
  const head = <FieldHead name={name} schema={schema} root={root} isRequired={isRequired} />;
  return (
    <li className="py-1.5">
      {isDeep ? (
        <Folded summary={<summary>{head}</summary>}>
          <div className="ml-1.5 border-l border-line pl-4">
            <FieldTree schema={schema} root={root} above={[...above, ...names]} />
          </div>
        </Folded>
      ) : (
        head
      )}
      {typeof description === 'string' && <p className="text-sm text-muted">{description}</p>}
    </li>
  );
}

function hasFields(node: DescribedSchema, root: DescribedSchema): boolean {
  return variantsOf(node).some((variant) => membersOf(inner(variant, root)).length > 0);
}

/** One alternative of a union, by its `type` if it has one. */
function Variant({ schema, root, above }: TreeProps): ReactNode {
  const node = inner(schema, root);
  const members = membersOf(node);
  const type = members.find(({ name }) => name === 'type')?.schema;
  const title = type === undefined ? typeName(schema, root) : typeName(type, root);
  if (members.length === 0) return <code className="block py-1.5">{title}</code>;
  const summary = (
    <summary>
      <code className="font-semibold">{title}</code>{' '}
      <span className="text-sm text-muted">{members.map(({ name }) => name).join(', ')}</span>
    </summary>
  );
  return (
    <Folded className="border-b border-line py-1.5 last:border-b-0" summary={summary}>
      <div className="ml-1.5 border-l border-line pl-4">
        <FieldTree schema={schema} root={root} above={[...(above ?? NONE), ...namesOf(schema, root)]} />
      </div>
    </Folded>
  );
}

interface FieldHeadProps {
  readonly name: string;
  /** Place of a parameter, such as `query`. */
  readonly place?: string;
  readonly schema: DescribedSchema;
  readonly root: DescribedSchema;
  readonly isRequired: boolean;
}

/** Renders name, place, type and bounds of a field, and whether it is required. */
export function FieldHead({ name, place, schema, root, isRequired }: FieldHeadProps): ReactNode {
  return (
    <span className="inline-flex flex-wrap items-baseline gap-x-2">
      <code className="font-semibold">{name}</code>
      {place !== undefined && <span className="text-xs text-muted">{place}</span>}
      <code className="text-sm break-words text-muted">{typeName(schema, root)}</code>
      {isRequired && <span className="text-xs text-warn">required</span>}
      {boundsText(schema, root).map((bound) => (
        <span key={bound} className="text-xs break-all text-muted">
          {bound}
        </span>
      ))}
    </span>
  );
}
