// Shows a query's data, its loading state, or its error with Retry.
import type { ReactNode } from "react";
import { messageOf } from "#shared/api/call-error.ts";
import { SectionSkeleton } from "./section-skeleton.tsx";
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
  /** Replaces the error's own message. */
  failureText?: string | undefined;
  children: (data: T) => ReactNode;
}

/** A failed refetch keeps the existing data on screen. */
export function Loaded<T>({ query, loadingText, failureText, children }: LoadedProps<T>) {
  if (query.data !== undefined) return children(query.data);
  if (query.isPending) return <SectionSkeleton text={loadingText} />;
  return (
    <ErrorState
      message={failureText ?? messageOf(query.error)}
      onRetry={() => void query.refetch()}
      isRetrying={query.isFetching}
    />
  );
}
