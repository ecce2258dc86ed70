// The latest audit entries about rights and security, for managers and administrators.
import { IconHistory } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { paths } from "#shared/paths.ts";
import { Loaded } from "#shared/ui/loaded.tsx";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import { NoRows, Row, RowDetail, RowList } from "#shared/ui/row-list.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { ResultBadge } from "#shared/ui/status-badge.tsx";
import { notableEvents } from "./dashboard.queries.ts";
import classes from "./dashboard-page.module.css";

export function NotableEvents() {
  const query = useQuery(notableEvents);
  return (
    <SectionCard title="Changes to Rights and Security" actions={<Link to={paths.auditLogs}>Audit Logs</Link>}>
      <Loaded query={query}>
        {({ logs }) =>
          logs.length === 0 ? (
            <NoRows>Changes to rights, policies and security appear here.</NoRows>
          ) : (
            <RowList label="Changes to rights and security">
              {logs.map(({ id, action, result, user, target, timestamp }) => (
                <Row
                  key={id}
                  icon={<IconHistory size={18} aria-hidden />}
                  name={
                    <>
                      <Link to={paths.auditEntry(id)} className={classes.quiet}>
                        {action}
                      </Link>
                      {result !== "success" && <ResultBadge result={result} />}
                    </>
                  }
                >
                  <RowDetail>
                    {`${user.name}${target?.name == null ? "" : ` · ${target.name}`} · `}
                    <RelativeTime moment={timestamp} />
                  </RowDetail>
                </Row>
              ))}
            </RowList>
          )
        }
      </Loaded>
    </SectionCard>
  );
}
