/** Command that repeats a kept run with another agent. Nothing is started from the page. */
import { useState, type ReactNode } from 'react';
import { AGENT_NAMES } from 'truecast/internal/agents/registry/agent-names';
import { CopyButton } from '../parts/code/copy-button.tsx';
import { repeatCommand } from './model/repeat-command.ts';
import type { ShownRun } from './model/shown-run.ts';

export function RepeatRun({ run }: { readonly run: ShownRun }): ReactNode {
  const others = AGENT_NAMES.filter((name) => name !== run.agent);
  const [agent, setAgent] = useState<string>(others[0] ?? run.agent);
  const command = repeatCommand(run.prompt, agent);
  return (
    <section aria-label="Repeat with another agent" className="panel px-4 py-3">
      <h2 className="text-sm font-semibold">Repeat with another agent</h2>
      <div className="mt-2 flex flex-wrap items-center gap-2">
        <select
          className="field w-auto min-w-0 flex-1"
          aria-label="Other agent"
          value={agent}
          onChange={({ target }) => setAgent(target.value)}
        >
          {others.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
        <CopyButton text={command} label="Copy command" isQuiet={false} />
      </div>
      <pre
        tabIndex={0}
        role="group"
        aria-label="Command"
        className="mt-2 max-h-32 overflow-auto rounded-md border border-line bg-well px-2.5 py-1.5 break-words whitespace-pre-wrap"
      >
        {command}
      </pre>
      {run.schema_hash !== undefined && (
        <p className="mt-2 text-xs text-muted">Add --schema with the schema of this run.</p>
      )}
    </section>
  );
}
