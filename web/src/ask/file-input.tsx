/** Input of the files of a question, with the list of those that are attached. */
import { useRef, type ReactNode } from 'react';
import { kilobytes, readFiles, type AttachedFile } from './ask-draft.ts';

interface FileInputProps {
  readonly files: readonly AttachedFile[];
  readonly problem: string | undefined;
  readonly onChange: (files: readonly AttachedFile[]) => void;
}

/** Renders the input. Files are not kept for the session: they are too large for its store. */
export function FileInput({ files, problem, onChange }: FileInputProps): ReactNode {
  const input = useRef<HTMLInputElement>(null);
  const add = async (chosen: FileList | null): Promise<void> => {
    const read = await readFiles(chosen ?? []);
    const names = new Set(read.map(({ name }) => name));
    onChange([...files.filter(({ name }) => !names.has(name)), ...read]);
    // The same file can be chosen again after it was removed.
    if (input.current !== null) input.current.value = '';
  };
  return (
    <div>
      <label className="label" htmlFor="files">
        Files to send
      </label>
      {/* The list below has all names. The browser would name only the files that were chosen last. */}
      <input
        ref={input}
        id="files"
        type="file"
        multiple
        aria-describedby={problem === undefined ? undefined : 'files-problem'}
        className="block w-full text-[0px] file:text-base file:min-h-8 file:cursor-pointer file:rounded-sm file:border file:border-solid file:border-control file:bg-page file:px-3 file:font-medium file:text-ink @max-2xl:file:min-h-11"
        onChange={({ target }) => void add(target.files)}
      />
      {files.length > 0 && (
        <ul aria-label="Attached files" className="mt-2 divide-y divide-line rounded-sm border border-line">
          {files.map((file) => (
            <li key={file.name} className="flex min-h-9 items-center gap-3 px-3">
              <span className="min-w-0 flex-1 truncate">{file.name}</span>
              <span className="text-sm whitespace-nowrap text-muted">
                {file.mediaType} · {kilobytes(file.bytes)}
              </span>
              <button
                type="button"
                className="button button-quiet px-2 @2xl:min-h-7"
                aria-label={`Remove ${file.name}`}
                onClick={() => onChange(files.filter(({ name }) => name !== file.name))}
              >
                ×
              </button>
            </li>
          ))}
        </ul>
      )}
      {problem !== undefined && (
        <p id="files-problem" className="mt-1 text-sm text-bad">
          {problem}
        </p>
      )}
    </div>
  );
}
