// What one query brings, or that it is on its way, or why it could not be had, with Retry.
import type { ReactNode } from "react";
import { messageOf } from "#shared/api/call-error.ts";
import { SectionLoading } from "./loading.tsx";
import { ErrorState } from "./states.tsx";

export interface LoadedProps<T> {
  query: {
    data: T | undefined;
    error: unknown;
    isPending: boolean;
    isFetching: boolean;
    refetch: () => Promise<unknown>;
  };
  loadingText?: string;
  /** Said in place of the error's own message. */
  failureText?: string | undefined;
  children: (data: T) => ReactNode;
}

/** A failed refresh leaves on screen what is there. */
export function Loaded<T>({ query, loadingText, failureText, children }: LoadedProps<T>) {
  if (query.data !== undefined) return children(query.data);
  if (query.isPending) return <SectionLoading {...(loadingText === undefined ? {} : { text: loadingText })} />;
  return (
    <ErrorState
      message={failureText ?? messageOf(query.error)}
      onRetry={() => void query.refetch()}
      isRetrying={query.isFetching}
    />
  );
}
