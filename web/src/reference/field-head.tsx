/** Head of a field in the reference: name, place, type, bounds, and whether it is required. */
import type { ReactNode } from 'react';
import type { DescribedSchema } from '../json/describe-schema.ts';
import { boundsText, typeName } from './schema-names.ts';

interface FieldHeadProps {
  readonly name: string;
  /** Place of a parameter, such as `query`. */
  readonly place?: string;
  readonly schema: DescribedSchema;
  readonly root: DescribedSchema;
  readonly isRequired: boolean;
}

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
