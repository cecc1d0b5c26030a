/** Model name behind a tile for the provider. */
import type { ReactNode } from 'react';
import { LetterTile } from './letter-tile.tsx';

export function ModelName({ id }: { readonly id: string }): ReactNode {
  return (
    <span className="inline-flex max-w-full min-w-0 items-center gap-2 align-bottom" title={id}>
      <LetterTile name={id.replace(/^connected:/u, '').split(':')[0] ?? id} />
      <span className="truncate">{id}</span>
    </span>
  );
}
