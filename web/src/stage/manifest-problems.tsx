/** Problems of manifests, each at `file:line:column`, as `truecast ensemble check` prints them. */
import { useState, type ReactNode } from 'react';
import type { ManifestProblemView } from '@truecast/client/internal/wire/ensemble';
import { CodeText } from '../parts/code/text-panel.tsx';
import { CopyButton } from '../parts/code/copy-button.tsx';
import { plural } from '../parts/format.ts';

/** More are listed on demand. */
const SHOWN = 20;

/** Renders the problems, with the manifests that they are in. */
export function ManifestProblems({
  problems,
}: {
  readonly problems: readonly ManifestProblemView[];
}): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const shown = isOpen ? problems : problems.slice(0, SHOWN);
  return (
    <section
      aria-label="Problems in the manifests"
      className="mb-6 rounded-lg border border-bad-edge bg-bad-soft"
    >
      <h2 className="px-4 pt-3 font-semibold text-bad">
        {plural(problems.length, 'problem')} in the manifests
      </h2>
      <p className="px-4 pb-2 text-sm">No scenario of this folder can run until they are fixed.</p>
      <ol className="max-h-[60dvh] overflow-auto" tabIndex={0}>
        {shown.map((problem) => (
          <Row key={`${placeOf(problem)} ${problem.message}`} problem={problem} />
        ))}
      </ol>
      {shown.length < problems.length && (
        <button className="button m-3" onClick={() => setOpen(true)}>
          Show all {problems.length}
        </button>
      )}
    </section>
  );
}

function Row({ problem }: { readonly problem: ManifestProblemView }): ReactNode {
  const { message, hint } = problem;
  return (
    <li className="border-t border-bad/25 px-4 py-2">
      <div className="flex items-center justify-between gap-3">
        <code className="min-w-0 break-words">{placeOf(problem)}</code>
        <CopyButton text={placeOf(problem)} label="Copy" />
      </div>
      <p className="break-words">
        <CodeText text={`${message} ${hint ?? ''}`.trim()} />
      </p>
    </li>
  );
}

function placeOf({ file, line, column }: ManifestProblemView): string {
  return `${file}:${line}:${column}`;
}
