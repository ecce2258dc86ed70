// Catches errors of a screen: shows a message with a retry and logs the error to the console.
import { Anchor } from "@mantine/core";
import { Component, type ErrorInfo, type ReactNode } from "react";
import { ErrorState } from "./states.tsx";

interface ErrorBoundaryProps {
  children: ReactNode;
  /** The error is cleared when this key changes; usually the address. */
  resetKey?: string;
  /** For the outermost boundary, which renders its own main landmark. */
  isOutermost?: boolean;
}

interface ErrorBoundaryState {
  error: Error | null;
  resetKey: string | undefined;
}

/** The chunk is missing on the server because a newer version was installed. */
const isStaleChunk = (error: Error): boolean =>
  /dynamically imported module|Importing a module script failed|error loading dynamically/i.test(error.message);

/** Reloads the whole app, because the error may have broken more than this screen. */
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
        message={isStale ? "This page was updated or could not be loaded." : "Something went wrong on this page."}
        onRetry={isStale ? () => location.reload() : () => this.setState({ error: null })}
        wayOut={WAY_OUT}
      />
    );
    return this.props.isOutermost === true ? <main>{fallback}</main> : fallback;
  }
}
