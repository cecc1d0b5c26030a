/** Boundary around the page: if a page cannot be loaded or rendered, the rail stays usable. */
import { Component, type ReactNode } from 'react';
import { Page } from '../parts/page.tsx';
import { probeConnection } from '../session/connection.ts';

interface BoundaryProps {
  /** Address of the page. A new address is tried again. */
  readonly address: string;
  readonly children: ReactNode;
}

interface BoundaryState {
  readonly hasFailed: boolean;
}

/** Shows the page, or the next step if it fails. */
export class PageBoundary extends Component<BoundaryProps, BoundaryState> {
  static getDerivedStateFromError(): BoundaryState {
    return { hasFailed: true };
  }

  override state: BoundaryState = { hasFailed: false };

  override componentDidCatch(): void {
    // The client does not request the file of a page, so the strip appears after this request.
    void probeConnection();
  }

  override componentDidUpdate({ address }: BoundaryProps): void {
    if (this.state.hasFailed && address !== this.props.address) this.setState({ hasFailed: false });
  }

  override render(): ReactNode {
    return this.state.hasFailed ? <BrokenPage /> : this.props.children;
  }
}

function BrokenPage(): ReactNode {
  return (
    <Page title="Page not loaded">
      <div role="alert" className="rounded-lg border border-bad-edge bg-bad-soft px-4 py-3">
        <p className="text-bad">
          This page could not be loaded. The server was not reachable, or it has another version now.
        </p>
        <button className="button mt-2" onClick={() => location.reload()}>
          Load the page again
        </button>
      </div>
    </Page>
  );
}
