// "Audit Trail": audit entries about verifications, for users who may read the whole trail.
import { Button } from "@mantine/core";
import { IconLock } from "@tabler/icons-react";
import { Link } from "react-router";
import { paths } from "#shared/paths.ts";
import { AuditExplorer } from "#shared/audit/audit-explorer.tsx";
import { useUser } from "#shared/session/session-store.ts";
import { EmptyState } from "#shared/ui/states.tsx";
import classes from "./audit-tab.module.css";

export function AuditTab() {
  const { role } = useUser();
  if (role === "user") {
    return (
      <EmptyState
        icon={IconLock}
        title="Only managers and administrators can read the whole audit trail."
        text="Open one of your accounts or credentials to see its history."
      />
    );
  }
  return (
    <>
      <div className={classes.all}>
        <Button component={Link} to={paths.auditLogs} variant="default" size="compact-md">
          Open Audit Logs
        </Button>
      </div>
      <AuditExplorer title="Enhanced Audit Trail" scope="verification" />
    </>
  );
}
