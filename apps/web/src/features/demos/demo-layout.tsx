// The layout of the public demo and test pages.
import { Anchor } from "@mantine/core";
import type { ReactNode } from "react";
import { Link } from "react-router";
import { paths } from "#shared/paths.ts";
import { PageHeader } from "#shared/ui/page-header.tsx";
import { VaultMark } from "#shared/ui/vault-mark.tsx";
import classes from "./demo-layout.module.css";

export interface DemoLayoutProps {
  title: string;
  subtitle: string;
  children: ReactNode;
}

export function DemoLayout({ title, subtitle, children }: DemoLayoutProps) {
  return (
    <div className={classes.frame}>
      <header className={classes.bar}>
        <Link to={paths.dashboard} className={classes.brand}>
          <VaultMark size={24} />
          Strongroom
        </Link>
        <nav className={classes.links} aria-label="Demo pages">
          <Anchor component={Link} to={paths.loadingDemo} size="sm">
            Loading
          </Anchor>
          <Anchor component={Link} to={paths.componentDemo} size="sm">
            Components
          </Anchor>
          <Anchor component={Link} to={paths.inactivityTest} size="sm">
            Inactivity
          </Anchor>
        </nav>
      </header>
      <main className={classes.main}>
        <PageHeader title={title} subtitle={subtitle} />
        {children}
      </main>
    </div>
  );
}
