/** Programs in several languages as tabs, with a button that copies the chosen one. */
import { useState, type ReactNode } from 'react';
import type { CodeSample } from './code-sample.ts';
import { CommandRow, CopyButton } from './copy-button.tsx';
import { TextPanel } from './text-panel.tsx';

interface CodeTabsProps {
  readonly title: string;
  readonly samples: readonly CodeSample[];
  /** Rows before the command that runs the file. */
  readonly children?: ReactNode;
}

export function CodeTabs({ title, samples, children }: CodeTabsProps): ReactNode {
  const [chosen, setChosen] = useState(samples[0]?.name);
  const sample = samples.find(({ name }) => name === chosen) ?? samples[0];
  if (sample === undefined) return null;
  return (
    <>
      <div className="mb-2 flex flex-wrap items-center gap-1">
        <h2 className="mr-3 font-semibold @max-2xl:w-full">{title}</h2>
        <span className="segments">
          {samples.map(({ name }) => (
            <button
              key={name}
              type="button"
              aria-pressed={name === sample.name}
              onClick={() => setChosen(name)}
            >
              {name}
            </button>
          ))}
        </span>
        <span className="ml-auto">
          <CopyButton key={sample.name} text={sample.code} />
        </span>
      </div>
      <TextPanel text={sample.code} label={`${sample.name} program`} isCode />
      {sample.command !== undefined && (
        <div className="panel mt-2 divide-y divide-line">
          {children}
          <CommandRow
            title={
              <>
                Save as <code className="text-sm">{sample.file}</code>, and run
              </>
            }
            command={sample.command}
          />
        </div>
      )}
    </>
  );
}
