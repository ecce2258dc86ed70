// The layout of pages before sign-in: the form on one side, product information on the other.
import { useDocumentTitle } from "@mantine/hooks";
import type { ReactNode } from "react";
import { DatabaseNotice } from "#shared/ui/database-notice.tsx";
import { OfflineNotice } from "#shared/ui/offline-notice.tsx";
import { VaultMark } from "#shared/ui/vault-mark.tsx";
import classes from "./signed-out-layout.module.css";

export interface EntranceLayoutProps {
  title: string;
  description?: ReactNode;
  children: ReactNode;
  /** Content of the other side on wide screens. */
  side?: ReactNode;
}

export function SignedOutLayout({ title, description, children, side }: EntranceLayoutProps) {
  useDocumentTitle(`${title} · Strongroom`);
  return (
    <div className={classes.frame} data-sided={side !== undefined}>
      <main className={classes.main}>
        <OfflineNotice />
        <DatabaseNotice />
        <div className={classes.panel}>
          <div className={classes.brand}>
            <VaultMark size={30} />
            <span>Strongroom</span>
          </div>
          <h1 className={classes.title}>{title}</h1>
          {description !== undefined && <p className={classes.description}>{description}</p>}
          {children}
        </div>
      </main>
      {side !== undefined && <aside className={classes.side}>{side}</aside>}
    </div>
  );
}
