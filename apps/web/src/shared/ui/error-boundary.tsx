// Keeps a broken screen from taking the app with it: says so, offers to try again, and tells the console.
import { Anchor } from "@mantine/core";
import { Component, type ErrorInfo, type ReactNode } from "react";
import { ErrorState } from "./states.tsx";

interface ErrorBoundaryProps {
  children: ReactNode;
  /** A change of it (the place, say) forgets the error. */
  resetKey?: string;
  /** Nothing is around it, not even the page's main landmark. */
  isOutermost?: boolean;
}

interface ErrorBoundaryState {
  error: Error | null;
  resetKey: string | undefined;
}

/** A page's code that is not on the server any more: a newer version was installed meanwhile. */
const isStaleChunk = (error: Error): boolean =>
  /dynamically imported module|Importing a module script failed|error loading dynamically/i.test(error.message);

/** Loads the whole app anew: what broke here may have broken more. */
const WAY_OUT = (
  <Anchor href="/" size="sm" underline="always">
    Go to the start page
  </Anchor>
);

export class ErrorBoundary extends Component<ErrorBoundaryProps, ErrorBoundaryState> {
  override state: ErrorBoundaryState = { error: null, resetKey: this.props.resetKey };

  static getDerivedStateFromError(error: Error): Partial<ErrorBoundaryState> {
    return { error };
  }

  static getDerivedStateFromProps(props: ErrorBoundaryProps, state: ErrorBoundaryState): ErrorBoundaryState | null {
    return props.resetKey === state.resetKey ? null : { error: null, resetKey: props.resetKey };
  }

  override componentDidCatch(error: Error, info: ErrorInfo): void {
    console.error(error, info.componentStack);
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === null) return this.props.children;
    const isStale = isStaleChunk(error);
    const fallback = (
      <ErrorState
        isPage
        message={isStale ? "This page was updated or could not be loaded." : "This screen ran into an error."}
        onRetry={isStale ? () => location.reload() : () => this.setState({ error: null })}
        wayOut={WAY_OUT}
      />
    );
    return this.props.isOutermost === true ? <main>{fallback}</main> : fallback;
  }
}
