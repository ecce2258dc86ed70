// The accounts that the user used last.
import { IconUserShield } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { paths } from "#shared/paths.ts";
import { loginText } from "#shared/runs/login-text.ts";
import { Loaded } from "#shared/ui/loaded.tsx";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import { NoRows, Row, RowDetail, RowList } from "#shared/ui/row-list.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { recentAccounts } from "./dashboard.queries.ts";
import classes from "./dashboard-page.module.css";

export function RecentAccounts() {
  const query = useQuery(recentAccounts);
  return (
    <SectionCard title="Recent Accounts" actions={<Link to={paths.accounts}>All accounts</Link>}>
      <Loaded query={query}>
        {({ accounts }) =>
          accounts.length === 0 ? (
            <NoRows>Accounts that you retrieve, request or connect to appear here.</NoRows>
          ) : (
            <RowList label="Recent accounts">
              {accounts.map((account) => (
                <Row
                  key={account.id}
                  icon={<IconUserShield size={18} aria-hidden />}
                  name={
                    <Link to={paths.account(account.id)} className={classes.quiet}>
                      {account.name}
                    </Link>
                  }
                >
                  <RowDetail>
                    {`${loginText({ ...account, hostname: account.hostname_ip })} · ${account.safe_name} · `}
                    <RelativeTime moment={account.used_at} />
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
