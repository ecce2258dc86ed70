// The page of one account, credential or safe: the way back, the heading, its loading states and its two columns.
import { Button, Stack } from "@mantine/core";
import { IconArrowLeft } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Link } from "react-router";
import classes from "./detail-page.module.css";
import type { LoadedProps } from "./loaded.tsx";
import { PageHeader, type PageHeaderProps } from "./page-header.tsx";
import { SectionSkeleton } from "./section-skeleton.tsx";
import { ErrorState } from "./states.tsx";

/** The list that the page belongs to. */
export interface ParentList {
  to: string;
  /** The list's own title. */
  title: string;
  /** The button on a page that could not be loaded, such as "Back to Safes". */
  backLabel: string;
}

export interface DetailLoadedProps<T> extends Pick<LoadedProps<T>, "query" | "children"> {
  list: ParentList;
  loadingText: string;
  isMissing: (error: unknown) => boolean;
  missing: { title: string; text: string };
  /** The heading when loading failed, and the reason. */
  failure: { title: string; text: string };
}

/** A failed refresh keeps the page; only a missing entity replaces it. */
export function DetailLoaded<T>({
  query,
  list,
  loadingText,
  isMissing,
  missing,
  failure,
  children,
}: DetailLoadedProps<T>) {
  if (query.isPending) return <SectionSkeleton text={loadingText} rows={8} />;
  const back = (
    <Button component={Link} to={list.to} variant="default" leftSection={<IconArrowLeft size={16} aria-hidden />}>
      {list.backLabel}
    </Button>
  );
  if (query.error !== null && isMissing(query.error)) {
    return <PageHeader title={missing.title} subtitle={missing.text} actions={back} />;
  }
  if (query.data !== undefined) return children(query.data);
  return (
    <>
      <PageHeader title={failure.title} actions={back} />
      <ErrorState message={failure.text} onRetry={() => void query.refetch()} isRetrying={query.isFetching} />
    </>
  );
}

export interface DetailHeaderProps extends PageHeaderProps {
  list: ParentList;
  /** Between the link back and the heading. */
  notice?: ReactNode;
}

export function DetailHeader({ list, notice, ...header }: DetailHeaderProps) {
  return (
    <>
      <Link to={list.to} className={classes.back}>
        <IconArrowLeft size={14} aria-hidden /> {list.title}
      </Link>
      {notice}
      <PageHeader {...header} />
    </>
  );
}

export interface DetailColumnsProps {
  main: ReactNode;
  side: ReactNode;
  /** In one column, the last part of the side follows the content, before the content's last part. */
  isActionsBelow?: boolean;
}

/** Two columns; on a narrow screen one, with the side first. */
export function DetailColumns({ main, side, isActionsBelow = false }: DetailColumnsProps) {
  return (
    <div className={classes.columns} data-actions={isActionsBelow ? "below" : undefined}>
      <Stack gap="md" className={classes.main}>
        {main}
      </Stack>
      <Stack gap="md" className={classes.side}>
        {side}
      </Stack>
    </div>
  );
}

/** A bordered part without a heading. */
export function DetailPanel({ children }: { children: ReactNode }) {
  return <div className={classes.panel}>{children}</div>;
}

/** A long value below the facts, on separate lines. */
export function LongFact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className={classes.long}>
      <p className={classes.longName}>{name}</p>
      {children}
    </div>
  );
}
