/** Page that requests a link or an access token. */
import { useState, type ReactNode, type SubmitEvent } from 'react';
import { BrandMark } from '../parts/mark.tsx';
import { takePasted, type PasteOutcome } from './access-token.ts';

/** Why the browser is not signed in, after it tried. */
export type SignInProblem = 'refused' | 'spent' | 'unreachable';

const PROBLEMS: Readonly<Record<SignInProblem, string>> = {
  refused:
    'The server does not accept this token. It is wrong, revoked or expired, or the session of this browser has ended.',
  spent: 'This link was used, or it has expired. Each link signs in one browser, within 10 minutes.',
  unreachable:
    'The server does not answer, so the link was not used. Start the server, and reload this page.',
};

interface TokenPageProps {
  readonly problem: SignInProblem | undefined;
  readonly onToken: () => void;
}

/** Explains where to get a link, and accepts a pasted link or token. */
export function TokenPage({ problem, onToken }: TokenPageProps): ReactNode {
  const [pasted, setPasted] = useState<PasteOutcome>();
  const shown = pasted === 'spent' || pasted === 'unreachable' ? pasted : problem;
  const onPaste = (outcome: PasteOutcome | undefined): void => {
    setPasted(outcome);
    if (outcome === 'opened') onToken();
  };
  return (
    <main className="mx-auto flex min-h-dvh max-w-[440px] flex-col justify-center px-4 py-12">
      <BrandMark />
      <h1 className="mt-6 text-xl font-semibold">Sign in</h1>
      {shown !== undefined && (
        <p role="alert" className="mt-3 rounded-lg border border-bad-edge bg-bad-soft px-4 py-3 text-bad">
          {PROBLEMS[shown]}
        </p>
      )}
      <p className="mt-2 text-muted">Print a new link in the folder of the server, and open it:</p>
      <pre className="panel mt-2 px-4 py-2.5 font-mono text-code">npx --no truecast link</pre>
      <p className="mt-2 text-sm text-muted">
        <code>truecast serve</code> prints one when it starts. For a server on another machine, paste your
        access token, which <code>truecast token create</code> creates there.
      </p>
      <PasteForm isWrong={pasted === 'wrong'} onPaste={onPaste} />
    </main>
  );
}

interface PasteFormProps {
  readonly isWrong: boolean;
  /** Undefined for a text that was not sent yet. */
  readonly onPaste: (outcome: PasteOutcome | undefined) => void;
}

function PasteForm({ isWrong, onPaste }: PasteFormProps): ReactNode {
  const [text, setText] = useState('');
  const [isKept, setKept] = useState(false);
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    onPaste(await takePasted(text, { isKept }));
  };
  return (
    <form className="mt-6" onSubmit={(event) => void submit(event)}>
      <label className="label" htmlFor="token">
        Link or token
      </label>
      <input
        id="token"
        className="field font-mono text-code"
        autoComplete="off"
        spellCheck={false}
        value={text}
        aria-describedby={isWrong ? 'token-problem' : undefined}
        aria-invalid={isWrong}
        onChange={({ target }) => {
          setText(target.value);
          onPaste(undefined);
        }}
      />
      {isWrong && (
        <p id="token-problem" className="mt-1 text-sm text-bad">
          This is neither a link nor a token. A link ends with <code>#code=</code> and a code. A token has
          letters, digits, hyphens and underscores.
        </p>
      )}
      <label className="mt-4 flex items-center gap-2">
        <input type="checkbox" checked={isKept} onChange={({ target }) => setKept(target.checked)} />
        Stay signed in for 30 days in this browser
      </label>
      <button className="button button-primary mt-6 w-full" type="submit">
        Continue
      </button>
    </form>
  );
}

/** The page while the code of a link is exchanged. */
export function SigningIn(): ReactNode {
  return (
    <main className="mx-auto flex min-h-dvh max-w-[440px] flex-col justify-center px-4 py-12">
      <BrandMark />
      <p role="status" className="mt-6 text-muted">
        Signing in.
      </p>
    </main>
  );
}
