/** Page that requests an access token. */
import { useState, type ReactNode, type SubmitEvent } from 'react';
import { BrandMark } from '../parts/mark.tsx';
import { keepToken } from './access-token.ts';

interface TokenPageProps {
  /** True if the server rejected the last token. */
  readonly isRefused: boolean;
  readonly onToken: () => void;
}

/** Explains where to find a token, and accepts a pasted one. */
export function TokenPage({ isRefused, onToken }: TokenPageProps): ReactNode {
  const [text, setText] = useState('');
  const [isKept, setKept] = useState(false);
  const [isWrong, setWrong] = useState(false);
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (keepToken(text, { isKept })) onToken();
    else setWrong(true);
  };
  return (
    <main className="mx-auto flex min-h-dvh max-w-[440px] flex-col justify-center px-4 py-12">
      <BrandMark />
      <h1 className="mt-6 text-xl font-semibold">Access token</h1>
      {isRefused && (
        <p role="alert" className="mt-3 rounded-lg border border-bad-edge bg-bad-soft px-4 py-3 text-bad">
          The server does not accept this token. It is wrong, revoked or expired, or the session of this
          browser has ended.
        </p>
      )}
      <p className="mt-2 text-muted">
        <code>truecast serve</code> prints a link with a token in its terminal. Open that link, or paste the
        token here.
      </p>
      <p className="mt-2 text-sm text-muted">
        No link in the terminal? Then <code>truecast serve</code> printed the path of the file with the token.{' '}
        <code>truecast token create</code> creates another token.
      </p>
      <form className="mt-6" onSubmit={submit}>
        <label className="label" htmlFor="token">
          Token
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
            setWrong(false);
          }}
        />
        {isWrong && (
          <p id="token-problem" className="mt-1 text-sm text-bad">
            This is not a token. A token has letters, digits, hyphens and underscores.
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
    </main>
  );
}
