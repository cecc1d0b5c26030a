/** Button that copies the TypeScript type of a schema. */
import type { ReactNode } from 'react';
import { useCopy } from '../parts/code/copy-button.tsx';
import type { SchemaNode } from './describe-schema.ts';

interface TypeProps {
  /** Name of the answer. */
  readonly name: string;
  readonly schema: SchemaNode;
}

/** Renders the button. The code that makes the type is loaded when it is pressed. */
export function CopyType({ name, schema }: TypeProps): ReactNode {
  const [isCopied, copy] = useCopy();
  const onClick = async (): Promise<void> => {
    const { typeOfSchema } = await import('../typescript/type-of-schema.ts');
    copy(typeOfSchema(name, schema));
  };
  return (
    <button
      type="button"
      className="button button-quiet px-2 text-sm md:min-h-7"
      title="Copy the TypeScript type"
      onClick={() => void onClick()}
    >
      {isCopied ? 'Copied' : 'Copy type'}
    </button>
  );
}
